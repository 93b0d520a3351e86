// Times the classical point front end (voxel grid, normals, FPFH, mutual matching) of PCL on two KITTI scans, so that
// other front ends have a baseline measured on the same machine and data.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <pcl/features/fpfh_omp.h>
#include <pcl/features/normal_3d_omp.h>
#include <pcl/filters/voxel_grid.h>
#include <pcl/kdtree/kdtree_flann.h>
#include <pcl/search/kdtree.h>

using point_t = pcl::PointXYZ;
using cloud_t = pcl::PointCloud<point_t>;
using feature_t = pcl::FPFHSignature33;
using features_t = pcl::PointCloud<feature_t>;

cloud_t::Ptr read_scan(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  cloud_t::Ptr cloud(new cloud_t);
  float p[4];
  while (in.read(reinterpret_cast<char*>(p), sizeof p)) {
    if (std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2])) cloud->push_back(point_t(p[0], p[1], p[2]));
  }
  // A partial record means a truncated or foreign file; timing it would give a number nobody can compare.
  if (in.gcount() != 0 || cloud->empty()) throw std::runtime_error("cannot read a KITTI scan from " + path);
  return cloud;
}

// Index of the nearest feature of `to` for each feature of `from`, to->size() for none. PCL's tree leaves non-finite
// entries out by itself, but a non-finite query is only guarded by an assert there, hence the check here.
std::vector<std::size_t> nearest(const features_t& from, const features_t::ConstPtr& to) {
  pcl::KdTreeFLANN<feature_t> tree(false);
  tree.setInputCloud(to);
  std::vector<std::size_t> out(from.size(), to->size());
  pcl::Indices index(1);
  std::vector<float> distance(1);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool finite = tree.getPointRepresentation()->isValid(from[i]);
    if (finite && tree.nearestKSearch(from[i], 1, index, distance)) out[i] = static_cast<std::size_t>(index[0]);
  }
  return out;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return 0.5 * (v[(v.size() - 1) / 2] + v[v.size() / 2]);
}

int main(int argc, char** argv) try {
  std::vector<std::string> files;
  std::map<std::string, double> option{{"--voxel", 0.3}, {"--threads", 2}, {"--repeat", 3}};
  for (int i = 1; i < argc; ++i) {
    const auto it = option.find(argv[i]);
    if (it != option.end() && i + 1 < argc)
      it->second = std::stod(argv[++i]);
    else
      files.emplace_back(argv[i]);
  }
  const auto leaf = static_cast<float>(option["--voxel"]);
  if (files.size() != 2 || !(leaf > 0) || !(option["--threads"] >= 1) || !(option["--repeat"] >= 1))
    throw std::runtime_error("usage: pcl_frontend A.bin B.bin [--voxel 0.3] [--threads 2] [--repeat 3]");
  // Disk reads stay outside the timing: they depend on the page cache, not on the front end.
  const cloud_t::Ptr raw[2] = {read_scan(files[0]), read_scan(files[1])};
  const char* names[] = {"voxel_ms", "normal_ms", "fpfh_ms", "match_ms", "total_ms"};
  std::vector<double> times[5];
  cloud_t::Ptr thinned[2];
  std::vector<std::size_t> ab, ba;
  std::size_t matches = 0;
  for (int r = 0; r < static_cast<int>(option["--repeat"]); ++r) {
    for (auto& t : times) t.push_back(0.0);
    const auto timed = [&](std::size_t stage, const auto& work) {
      const auto start = std::chrono::steady_clock::now();
      work();
      const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      for (const std::size_t k : {stage, std::size_t{4}}) times[k].back() += ms;
    };
    features_t::Ptr features[2] = {features_t::Ptr(new features_t), features_t::Ptr(new features_t)};
    for (std::size_t s = 0; s < 2; ++s) {
      const cloud_t::Ptr cloud = thinned[s] = cloud_t::Ptr(new cloud_t);
      pcl::PointCloud<pcl::Normal>::Ptr normals(new pcl::PointCloud<pcl::Normal>);
      // One tree for both estimators: paid once, in the normal stage, and unsorted like the one PCL makes by default.
      pcl::search::KdTree<point_t>::Ptr tree(new pcl::search::KdTree<point_t>(false));
      const auto estimate = [&](auto&& estimator, double radius, auto& out) {
        estimator.setNumberOfThreads(static_cast<unsigned>(option["--threads"]));
        estimator.setSearchMethod(tree);
        estimator.setRadiusSearch(radius);
        estimator.setInputCloud(cloud);
        estimator.compute(out);
      };
      pcl::VoxelGrid<point_t> grid;
      grid.setLeafSize(leaf, leaf, leaf);
      grid.setInputCloud(raw[s]);
      timed(0, [&] { grid.filter(*cloud); });
      timed(1, [&] { estimate(pcl::NormalEstimationOMP<point_t, pcl::Normal>(), 2.0 * leaf, *normals); });
      pcl::FPFHEstimationOMP<point_t, pcl::Normal, feature_t> fpfh;
      fpfh.setInputNormals(normals);
      timed(2, [&] { estimate(fpfh, 5.0 * leaf, *features[s]); });
    }
    timed(3, [&] {
      ab = nearest(*features[0], features[1]);
      ba = nearest(*features[1], features[0]);
      matches = 0;
      for (std::size_t b = 0; b < ba.size(); ++b) matches += ba[b] < ab.size() && ab[ba[b]] == b;
    });
  }
  for (int k = 0; k < 5; ++k) std::printf("%s %.1f\n", names[k], median(times[k]));
  std::printf("raw_points_a %zu\nraw_points_b %zu\n", raw[0]->size(), raw[1]->size());
  std::printf("voxel_points_a %zu\nvoxel_points_b %zu\n", thinned[0]->size(), thinned[1]->size());
  const auto skipped = std::count(ab.begin(), ab.end(), ba.size()) + std::count(ba.begin(), ba.end(), ab.size());
  std::printf("skipped_descriptors %td\nmutual_matches %zu\n", skipped, matches);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
