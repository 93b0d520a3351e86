// Can the covariances be believed? parte_covariance_bench [--synthetic PRESET PAIRS]... [--kitti ROOT LIST TRUTH_M
// TRUTH_DEG]...
// Mean and median of the normalised estimation error squared of accepted registrations, 6 if the covariance is true, by
// world or list and by the size of the clique. TRUTH_M and TRUTH_DEG: standard deviation per axis of the list's truth.
#include <datasets/pair_list.hpp>
#include <datasets/random.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/world/synthetic.hpp>
#include <slam/factor.hpp>
#include <slam/icp.hpp>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <numbers>
#include <string>

namespace {

using namespace parte;

struct Tally {
  std::size_t tried = 0, wrong = 0;
  std::vector<double> nees;

  void print(const std::string& name) {
    if (nees.empty()) return std::printf("| %s | 0 of %zu | | | %zu |\n", name.c_str(), tried, wrong), void();
    double sum = 0.0;
    for (const double n : nees) sum += n;
    std::sort(nees.begin(), nees.end());
    std::printf("| %s | %zu of %zu | %.1f | %.1f | %zu |\n", name.c_str(), nees.size() + wrong, tried,
                sum / static_cast<double>(nees.size()), nees[nees.size() / 2], wrong);
    std::fflush(stdout);
  }
};

constexpr std::array<std::size_t, 4> kSizes = {10, 20, 40, 80};

struct Bench {
  Tally all;
  std::array<Tally, kSizes.size() + 1> by_size;

  /// `truth_covariance` of the truth itself, as that of the registration. Gross errors are counted apart.
  void add(Tally& tally, const Result& result, const Eigen::Isometry3d& truth, const CovarianceOptions& options,
           const Matrix6d& truth_covariance, double gross_m) {
    ++tally.tried;
    if (!result.success()) return;
    const Vector6d error = slam::tangent(result.T_target_source.inverse() * truth);
    const Matrix6d covariance = registration_covariance(result, options) + truth_covariance;
    if (error.tail<3>().norm() > gross_m) return ++tally.wrong, void();
    const double nees = error.dot(covariance.ldlt().solve(error));
    tally.nees.push_back(nees);
    const std::size_t members = result.clique_points.size() + result.clique_planes.size();
    const auto size = std::upper_bound(kSizes.begin(), kSizes.end(), members) - kSizes.begin();
    for (Tally* t : {&all, &by_size[static_cast<std::size_t>(size)]}) ++t->tried, t->nees.push_back(nees);
  }
};

/// A frame 2 to 25 m away, in any direction and at any time; indoors one of the same room.
std::size_t partner(const datasets::Sequence& s, std::size_t i, datasets::Random& random, bool indoor) {
  const int last = static_cast<int>(s.size()) - 1;
  for (;;) {
    const auto j = static_cast<std::size_t>(random.integer(0, last));
    const double distance = (s.ground_truth[i].translation() - s.ground_truth[j].translation()).norm();
    if (j != i && (indoor ? j / 25 == i / 25 : distance < random.uniform(2.0, 25.0))) return j;
  }
}

void synthetic(Bench& bench, const std::string& preset, int pairs) {
  datasets::SyntheticOptions world;
  world.preset = datasets::preset_named(preset);
  world.seed = 11;
  const bool indoor = world.preset == datasets::Preset::indoor;
  const datasets::Sequence s = datasets::open_synthetic(world);
  const Registration registration(indoor ? Options::rgbd(0.05) : Options::lidar(0.3));
  const auto covariance = indoor ? CovarianceOptions::rgbd() : CovarianceOptions();
  datasets::Random random(5);
  Tally tally;
  for (int k = 0; k < pairs; ++k) {
    const auto i = static_cast<std::size_t>(random.integer(0, static_cast<int>(s.size()) - 1));
    const std::size_t j = partner(s, i, random, indoor);
    const Result result = registration.align(registration.extract(s.read(i)), registration.extract(s.read(j)));
    bench.add(tally, result, s.ground_truth[j].inverse() * s.ground_truth[i], covariance, Matrix6d::Zero(),
              indoor ? 0.3 : 1.0);
  }
  tally.print(preset);
}

void kitti(Bench& bench, const std::string& root, const std::string& list, double truth_m, double truth_deg) {
  const Registration registration(Options::lidar(0.3));
  std::map<std::string, Features> features;
  const auto features_of = [&](const std::string& scan) -> const Features& {
    const auto [entry, made] = features.try_emplace(scan);
    // As they are: the truth of the lists was made from scans without the correction of their elevation.
    if (made) entry->second = registration.extract(datasets::read_scan(scan));
    return entry->second;
  };
  Vector6d variances;
  const double truth_rad = truth_deg * std::numbers::pi / 180.0;
  variances << Eigen::Vector3d::Constant(truth_rad * truth_rad), Eigen::Vector3d::Constant(truth_m * truth_m);
  Tally tally;
  for (const auto& pair : datasets::read_kitti_pairs(list, root))
    bench.add(tally, registration.align(features_of(pair.source), features_of(pair.target)), pair.T_target_source, {},
              variances.asDiagonal(), 2.0);
  tally.print(std::filesystem::path(list).stem().string());
}

}  // namespace

int main(int argc, char** argv) {
  Bench bench;
  std::printf("| pairs | accepted | mean | median | grossly wrong |\n|---|---|---|---|---|\n");
  for (int i = 1; i < argc;) {
    const std::string what = argv[i];
    if (what == "--synthetic" && i + 2 < argc) {
      synthetic(bench, argv[i + 1], std::stoi(argv[i + 2]));
      i += 3;
    } else if (what == "--kitti" && i + 4 < argc) {
      kitti(bench, argv[i + 1], argv[i + 2], std::stod(argv[i + 3]), std::stod(argv[i + 4]));
      i += 5;
    } else {
      std::fprintf(stderr, "see the head of covariance_bench.cpp\n");
      return 2;
    }
  }
  bench.all.print("all");
  const char* sizes[] = {"clique below 10", "10-19", "20-39", "40-79", "80 and more"};
  for (std::size_t k = 0; k < bench.by_size.size(); ++k) bench.by_size[k].print(sizes[k]);
}
