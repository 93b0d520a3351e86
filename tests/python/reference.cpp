// What C++ makes of two scans, for the tests of the Python module: every number with all its bits, as `name value...`.
// Usage: reference SOURCE.bin TARGET.bin SENSOR VOXEL X Y Z    (X Y Z [m] are added to the source, in double precision)
#include <datasets/scan_io.hpp>
#include <parte/covariance.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

using namespace parte;

void print(double value) { std::printf(" %a", value); }
template <class Derived>
void print(const Eigen::MatrixBase<Derived>& m) {
  for (Eigen::Index r = 0; r < m.rows(); ++r)
    for (Eigen::Index c = 0; c < m.cols(); ++c) print(static_cast<double>(m(r, c)));
}
void print(const Match& m) { print(m.source), print(m.target); }
void print(const Correspondence& c) { print(c.source), print(c.target); }
void print(const Pch& histogram) {
  for (const double count : histogram) print(count);
}
template <class T>
void print(const std::vector<T>& values) {
  for (const auto& value : values) print(value);
}

template <class T>
void line(const char* name, const T& value) {
  std::printf("%s", name);
  print(value);
  std::printf("\n");
}

void print_features(const Features& f) {
  const Description& d = f.description();
  line("origin", f.cloud.origin);
  line("points", f.cloud.points);
  line("normals", f.cloud.normals);
  line("dropped", static_cast<double>(f.cloud.dropped));
  line("ground", f.ground);
  std::vector<Eigen::Vector3d> centroids, normals;
  for (const PlanarPatch& p : d.planes.patches) centroids.push_back(p.centroid), normals.push_back(p.normal);
  line("plane_centroids", centroids);
  line("plane_normals", normals);
  line("context", d.planes.context);
  line("box_context", d.planes.box_context);
  line("point_indices", d.point_indices);
  line("descriptors", d.descriptors);
}

void print_result(const Result& r, const Options& options) {
  line("success", r.success() ? 1.0 : 0.0);
  line("T_target_source", r.T_target_source.matrix());
  line("T_clique", r.T_clique.matrix());
  line("information", r.information);
  line("surface_information", r.surface_information);
  line("surface_rms_m", r.surface_rms_m);
  line("clique_points", r.clique_points);
  line("clique_matches", r.clique_matches);
  line("clique_planes", r.clique_planes);
  line("clique_weight", static_cast<double>(r.clique_weight));
  line("hypotheses", static_cast<double>(r.hypotheses));
  line("point_candidates", static_cast<double>(r.point_candidates));
  line("point_rms_m", r.point_rms_m);
  line("overlap", Eigen::Vector3d(r.overlap.agreement(), r.overlap.sharpness(), r.overlap.fraction()));
  if (r.success()) line("covariance", registration_covariance(r, CovarianceOptions::of(options)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) return 2;
  const double voxel = std::atof(argv[4]);
  const Registration registration(std::string(argv[3]) == "lidar" ? Options::lidar(voxel) : Options::rgbd(voxel));
  const Eigen::Vector3d shift(std::atof(argv[5]), std::atof(argv[6]), std::atof(argv[7]));
  std::vector<Eigen::Vector3d> source;
  for (const Eigen::Vector3f& p : datasets::read_scan(argv[1])) source.emplace_back(p.cast<double>() + shift);
  const Features a = registration.extract(source), b = registration.extract(datasets::read_scan(argv[2]));
  print_features(a);
  print_result(registration.align(a, b), registration.options());
}
