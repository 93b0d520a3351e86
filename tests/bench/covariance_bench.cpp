// Can the covariances be believed? Normalised estimation error squared of accepted registrations, 6 on average if the
// covariance is true: with the scale measured on the pair, and with the fixed inflations.
//   parte_covariance_bench [--seed N] [--lidar NAME] [--voxel METRES] ...
//     --synthetic PRESET PAIRS                    against the exact truth of a synthetic world
//     --pairs ROOT LIST TRUTH_M TRUTH_DEG         against a list's truth, with its standard deviation per axis
//     --cycles ROOT|FOLDER TRIPLES MAX_M          without any truth: three registrations around a triangle of scans
//     --fragment-cycles ROOT LIST                 the same of all triangles in a list of 3DMatch's kind, Options::rgbd
#include <datasets/folder.hpp>
#include <datasets/kitti.hpp>
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
#include <functional>
#include <map>
#include <numbers>
#include <set>
#include <stdexcept>
#include <string>

namespace {

using namespace parte;
using Eigen::Isometry3d;

constexpr double kWithin = 12.59;  // 95 % of chi-square with 6 degrees of freedom

struct Tally {
  std::vector<double> measured, fixed;
  std::size_t tried = 0, wrong = 0;

  static std::string summary(std::vector<double> nees) {
    if (nees.empty()) return "| |";
    double sum = 0.0;
    for (const double n : nees) sum += n;
    std::sort(nees.begin(), nees.end());
    const auto within = std::lower_bound(nees.begin(), nees.end(), kWithin) - nees.begin();
    char text[100];
    std::snprintf(text, sizeof text, "%.1f | %.1f | %.0f %%", sum / static_cast<double>(nees.size()),
                  nees[nees.size() / 2], 100.0 * static_cast<double>(within) / static_cast<double>(nees.size()));
    return text;
  }
  void print(const std::string& name) const {
    std::printf("| %s | %zu of %zu | %s | %s | %zu |\n", name.c_str(), measured.size() + wrong, tried,
                summary(measured).c_str(), summary(fixed).c_str(), wrong);
    std::fflush(stdout);
  }
};

constexpr std::array<std::size_t, 4> kSizes = {10, 20, 40, 80};

std::size_t members(const Result& r) { return r.clique_points.size() + r.clique_planes.size(); }

CovarianceOptions options_for(const Options& registration, CovarianceScale scale) {
  CovarianceOptions options = CovarianceOptions::of(registration);
  options.scale = scale;
  return options;
}

class Bench {
 public:
  std::uint64_t seed = 11;
  double voxel = 0.3;
  std::string lidar = "hdl64e";

  void synthetic(const std::string& preset, int pairs) {
    datasets::SyntheticOptions world;
    world.preset = datasets::preset_named(preset);
    world.seed = seed;
    world.lidar = datasets::LidarOptions::of(datasets::lidar_named(lidar));
    const bool indoor = world.preset == datasets::Preset::indoor;
    const datasets::Sequence s = datasets::open_synthetic(world);
    const Options options = indoor ? Options::rgbd(0.05) : Options::lidar(voxel);
    const Registration registration(options);
    datasets::Random random(seed);
    Tally tally;
    for (int k = 0; k < pairs; ++k) {
      const auto i = static_cast<std::size_t>(random.integer(0, static_cast<int>(s.size()) - 1));
      const std::size_t j = partner(s, i, random, indoor);
      const Result result = registration.align(registration.extract(s.read(i)), registration.extract(s.read(j)));
      add(tally, result, s.ground_truth[j].inverse() * s.ground_truth[i], options, Matrix6d::Zero(),
          indoor ? 0.3 : 1.0);
    }
    tally.print(preset + (indoor ? "" : " " + lidar));
  }

  void pairs(const std::string& root, const std::string& list, double truth_m, double truth_deg) {
    const Options options = Options::lidar(voxel);
    const Registration registration(options);
    Vector6d variances;
    variances.head<3>().setConstant(std::pow(truth_deg * std::numbers::pi / 180.0, 2));
    variances.tail<3>().setConstant(truth_m * truth_m);
    Tally tally;
    for (const datasets::Pair& pair : datasets::read_kitti_pairs(list, root)) {
      // As they are: the truth of the lists was made from scans without the correction of their elevation.
      const Result result = registration.align(registration.extract(datasets::read_scan(pair.source)),
                                               registration.extract(datasets::read_scan(pair.target)));
      add(tally, result, pair.T_target_source, options, variances.asDiagonal(), 1.0);
    }
    tally.print(std::filesystem::path(list).stem().string());
  }

  void cycles(const std::string& folder, int triples, double max_m) {
    const bool kitti = std::filesystem::exists(std::filesystem::path(folder) / "sequences");
    const datasets::Sequence s = kitti ? datasets::open_kitti(folder, "00") : datasets::open_folder(folder);
    if (s.ground_truth.empty()) throw std::invalid_argument(folder + " has no poses, which choose the triangles");
    Alignments all(Options::lidar(voxel), [&](std::size_t i) { return s.read(i); });
    datasets::Random random(seed);
    const auto any = [&] { return static_cast<std::size_t>(random.integer(0, static_cast<int>(s.size()) - 1)); };
    const auto near = [&](std::size_t a, std::size_t b) {
      const Isometry3d T = s.ground_truth[a].inverse() * s.ground_truth[b];
      return a != b && T.translation().norm() < max_m && (kitti || Eigen::AngleAxisd(T.linear()).angle() < 0.8);
    };
    Tally tally;
    for (int k = 0; k < triples;) {
      const std::size_t a = any(), b = any(), c = any();
      if (!near(a, b) || !near(b, c) || !near(c, a)) continue;
      add_cycle(tally, all.of(a, b), all.of(b, c), all.of(c, a), all.options());
      ++k;
    }
    tally.print("cycles of " + s.name);
  }

  void fragment_cycles(const std::string& root, const std::string& list) {
    std::map<std::string, std::size_t> ids;
    std::vector<std::string> names;
    const auto id = [&](const std::string& name) {
      const auto [entry, is_new] = ids.try_emplace(name, names.size());
      if (is_new) names.push_back(name);
      return entry->second;
    };
    std::set<std::pair<std::size_t, std::size_t>> listed;
    for (const datasets::Pair& pair : datasets::read_3dmatch_pairs(list, root))
      listed.insert(std::minmax(id(pair.source), id(pair.target)));
    Alignments all(Options::rgbd(voxel), [&](std::size_t i) { return datasets::read_scan(names[i]); });
    Tally tally;
    for (const auto& [a, b] : listed)
      for (std::size_t c = b + 1; c < names.size(); ++c)
        if (listed.contains({a, c}) && listed.contains({b, c}))
          add_cycle(tally, all.of(a, b), all.of(b, c), all.of(c, a), all.options());
    tally.print("cycles of " + std::filesystem::path(list).stem().string());
  }

  void print_sizes() const {
    const char* names[] = {"clique below 10", "10-19", "20-39", "40-79", "80 and more"};
    for (std::size_t k = 0; k < by_size_.size(); ++k) by_size_[k].print(names[k]);
  }

 private:
  /// Registrations between scans, each made once.
  class Alignments {
   public:
    Alignments(const Options& options, std::function<datasets::Points(std::size_t)> read)
        : registration_(options), read_(std::move(read)) {}
    const Result& of(std::size_t source, std::size_t target) {
      const auto [entry, is_new] = results_.try_emplace({source, target});
      if (is_new) entry->second = registration_.align(features(source), features(target));
      return entry->second;
    }
    [[nodiscard]] const Options& options() const { return registration_.options(); }

   private:
    const Features& features(std::size_t i) {
      const auto [entry, is_new] = features_.try_emplace(i);
      if (is_new) entry->second = registration_.extract(read_(i));
      return entry->second;
    }
    Registration registration_;
    std::function<datasets::Points(std::size_t)> read_;
    std::map<std::size_t, Features> features_;
    std::map<std::pair<std::size_t, std::size_t>, Result> results_;
  };

  /// A frame 2 to 25 m away, in any direction and at any time; indoors one of the same room.
  static std::size_t partner(const datasets::Sequence& s, std::size_t i, datasets::Random& random, bool indoor) {
    for (;;) {
      const auto j = static_cast<std::size_t>(random.integer(0, static_cast<int>(s.size()) - 1));
      const double distance = (s.ground_truth[i].translation() - s.ground_truth[j].translation()).norm();
      if (j != i && (indoor ? j / 25 == i / 25 : distance < random.uniform(2.0, 25.0))) return j;
    }
  }

  /// Gross errors are counted apart.
  void add(Tally& tally, const Result& result, const Isometry3d& truth, const Options& options,
           const Matrix6d& truth_covariance, double gross_m) {
    ++tally.tried;
    if (!result.success()) return;
    const Vector6d error = slam::tangent(result.T_target_source.inverse() * truth);
    if (error.tail<3>().norm() > gross_m) return ++tally.wrong, void();
    const auto nees = [&](CovarianceScale scale) -> double {
      const Matrix6d covariance = registration_covariance(result, options_for(options, scale)) + truth_covariance;
      return error.dot(covariance.ldlt().solve(error));
    };
    record(tally, nees(CovarianceScale::measured), nees(CovarianceScale::fixed), members(result));
  }

  /// T_a_c T_c_b T_b_a is no motion, up to the three errors. Errors that a scan brings into both of its registrations
  /// cancel.
  void add_cycle(Tally& tally, const Result& ab, const Result& bc, const Result& ca, const Options& options) {
    ++tally.tried;
    if (!ab.success() || !bc.success() || !ca.success()) return;
    const Isometry3d to_b = ab.T_target_source, to_c = bc.T_target_source * to_b;
    const Vector6d error = slam::tangent(ca.T_target_source * to_c);
    if (error.tail<3>().norm() > 5.0 * options.voxel) return ++tally.wrong, void();
    const auto nees = [&](CovarianceScale scale) -> double {
      const auto covariance = [&](const Result& r) { return registration_covariance(r, options_for(options, scale)); };
      const Matrix6d sum =
          covariance(ab) + transported(covariance(bc), to_b.inverse()) + transported(covariance(ca), to_c.inverse());
      return error.dot(sum.ldlt().solve(error));
    };
    record(tally, nees(CovarianceScale::measured), nees(CovarianceScale::fixed),
           std::min({members(ab), members(bc), members(ca)}));
  }

  void record(Tally& tally, double measured, double fixed, std::size_t size) {
    const auto k = std::upper_bound(kSizes.begin(), kSizes.end(), size) - kSizes.begin();
    for (Tally* t : {&tally, &by_size_[static_cast<std::size_t>(k)]}) {
      t->measured.push_back(measured);
      t->fixed.push_back(fixed);
    }
    ++by_size_[static_cast<std::size_t>(k)].tried;
  }

  std::array<Tally, kSizes.size() + 1> by_size_;
};

int run(int argc, char** argv) {
  Bench bench;
  std::printf(
      "| pairs | accepted | measured: mean | median | within 95 %% | fixed: mean | median | within 95 %% | grossly "
      "wrong "
      "|\n|---|---|---|---|---|---|---|---|---|\n");
  for (int i = 1; i < argc;) {
    const std::string what = argv[i++];
    const auto next = [&] {
      return i < argc ? std::string(argv[i++]) : throw std::invalid_argument(what + " needs more");
    };
    if (what == "--seed") {
      bench.seed = std::stoull(next());
    } else if (what == "--lidar") {
      bench.lidar = next();
    } else if (what == "--voxel") {
      bench.voxel = std::stod(next());
    } else if (what == "--synthetic") {
      const std::string preset = next();
      bench.synthetic(preset, std::stoi(next()));
    } else if (what == "--pairs") {
      const std::string root = next(), list = next(), truth_m = next();
      bench.pairs(root, list, std::stod(truth_m), std::stod(next()));
    } else if (what == "--cycles") {
      const std::string folder = next(), triples = next();
      bench.cycles(folder, std::stoi(triples), std::stod(next()));
    } else if (what == "--fragment-cycles") {
      const std::string root = next();
      bench.fragment_cycles(root, next());
    } else {
      throw std::invalid_argument("unknown argument " + what);
    }
  }
  bench.print_sizes();
  return 0;
}

}  // namespace

int main(int argc, char** argv) try { return run(argc, argv); } catch (const std::exception& error) {
  std::fprintf(stderr, "parte_covariance_bench: %s (see the head of covariance_bench.cpp)\n", error.what());
  return 1;
}
