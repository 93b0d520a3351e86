// Speed and drift of the odometry, as a table for docs/BENCHMARK.md.
//   parte_odometry_bench [--threads N] [--voxel METRES] [--kitti ROOT SEQUENCE]... [--folder FOLDER]...
//                        [--synthetic PRESET FRAMES]... [--lidar MODEL] [--seed N] [--first FRAME] [--distort]
//                        [--elevation DEGREES] [--truth METRES] [--kiss]
// --lidar, --seed, --first and --distort (motion distortion, undone by deskewing): of the synthetic drives after them.
// --elevation: correction of the KITTI sequences after it. --kiss: a row of KISS-ICP's reference below each.
// --truth: how wrong a true motion of the KITTI sequences after it is itself (standard deviation), for the NEES.

#include <datasets/folder.hpp>
#include <datasets/kitti.hpp>
#include <datasets/world/synthetic.hpp>
#include <slam/metrics.hpp>
#include <slam/odometry.hpp>
#include <slam/odometry_noise.hpp>
#include <tests/bench/kiss_icp.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

namespace {

using parte::datasets::Sequence;
using parte::slam::Odometry;
using parte::slam::OdometryOptions;
using Poses = std::vector<Eigen::Isometry3d>;

struct Run {
  Poses poses;
  std::vector<Odometry::Step> steps;  ///< none of KISS-ICP
  std::vector<double> times_s;
  std::vector<double> cpu_s;  ///< of all threads: other programs hardly change it
  std::size_t points = 0, iterations = 0, not_converged = 0;
};

template <class Locate>
Run run(const Sequence& sequence, std::size_t first, std::size_t frames, Locate&& locate) {
  Run result;
  for (std::size_t k = 0; k < frames; ++k) {
    const auto scan = sequence.read(first + k);
    const std::clock_t cpu_start = std::clock();
    const auto start = std::chrono::steady_clock::now();
    locate(scan, result);
    result.times_s.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    result.cpu_s.push_back(static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC);
    result.points += scan.size();
  }
  return result;
}

Run run_odometry(const Sequence& sequence, std::size_t first, std::size_t frames, const OdometryOptions& options) {
  Odometry odometry(options);
  return run(sequence, first, frames, [&](const auto& scan, Run& result) {
    const Odometry::Step step = odometry.add(scan);
    result.poses.push_back(step.T_world_lidar);
    result.steps.push_back(step);
    result.iterations += static_cast<std::size_t>(step.iterations);
    result.not_converged += !step.converged;
  });
}

Run run_kiss_icp(const Sequence& sequence, std::size_t first, std::size_t frames, bool deskew) {
  parte::bench::KissIcp odometry({.deskew = deskew});
  return run(sequence, first, frames,
             [&](const auto& scan, Run& result) { result.poses.push_back(odometry.add(scan)); });
}

/// Translation error of each motion from one frame to the next [m].
std::vector<double> step_errors(const Poses& found, const Poses& truth) {
  std::vector<double> errors;
  for (std::size_t k = 1; k < found.size(); ++k) {
    const Eigen::Isometry3d step = found[k - 1].inverse() * found[k], true_step = truth[k - 1].inverse() * truth[k];
    errors.push_back((step.translation() - true_step.translation()).norm());
  }
  return errors;
}

double path_length(const Poses& poses) {
  double length = 0.0;
  for (std::size_t k = 1; k < poses.size(); ++k) length += (poses[k].translation() - poses[k - 1].translation()).norm();
  return length;
}

/// Distance of a pose from the truth if the first poses are laid on each other.
double position_error(const Poses& found, const Poses& truth, std::size_t k) {
  return ((found[0].inverse() * found[k]).translation() - (truth[0].inverse() * truth[k]).translation()).norm();
}

double root_mean_square_error(const Poses& found, const Poses& truth) {
  double sum = 0.0;
  for (std::size_t k = 0; k < found.size(); ++k) sum += std::pow(position_error(found, truth, k), 2);
  return std::sqrt(sum / static_cast<double>(found.size()));
}

/// Mean normalized estimation error squared of the motions over `stride` frames, see OdometryMotion; 6 if the
/// covariances tell the truth. `truth_m` is the standard deviation of a true motion.
double mean_nees(const Run& found, const Poses& truth, std::size_t stride, double truth_m) {
  double sum = 0.0;
  if (found.steps.empty()) return std::nan("");
  for (std::size_t k = stride; k < found.steps.size(); ++k) {
    parte::slam::OdometryMotion motion(found.steps[k - stride]);
    for (std::size_t j = k - stride + 1; j <= k; ++j) motion.add(found.steps[j]);
    const parte::Vector6d error =
        parte::slam::tangent(motion.T_first_last().inverse() * truth[k - stride].inverse() * truth[k]);
    parte::Matrix6d covariance = motion.covariance();
    covariance.bottomRightCorner<3, 3>().diagonal().array() += truth_m * truth_m;
    sum += error.dot(covariance.ldlt().solve(error));
  }
  return sum / static_cast<double>(found.steps.size() - stride);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Task {
  Sequence sequence;
  std::size_t first, frames;
  double truth_m = 0.0;  ///< standard deviation of the true motions themselves
  bool deskew = false;
};

void print_row(const std::string& name, const Run& found, const Poses& truth, double truth_m) {
  const auto n = static_cast<double>(truth.size());
  const std::vector<double> steps = step_errors(found.poses, truth);
  double mean = 0.0;
  for (const double error : steps) mean += error / static_cast<double>(steps.size());
  const auto drift = parte::slam::kitti_error(found.poses, truth);
  const std::string t_rel = drift ? std::to_string(drift->t_rel_percent).substr(0, 5) : "";
  std::printf("| %s | %zu | %.0f | %.1f | %.1f | %.1f | %.1f | %s | %.3f | %.3f | %.1f / %.1f | %zu | %.1f / %.1f |\n",
              name.c_str(), truth.size(), static_cast<double>(found.points) / n, 1.0 / median(found.times_s),
              1e3 * median(found.cpu_s), static_cast<double>(found.iterations) / n, path_length(truth), t_rel.c_str(),
              root_mean_square_error(found.poses, truth), position_error(found.poses, truth, truth.size() - 1),
              1e3 * mean, 1e3 * *std::max_element(steps.begin(), steps.end()), found.not_converged,
              mean_nees(found, truth, 1, truth_m),
              mean_nees(found, truth, std::min<std::size_t>(10, truth.size() - 1), truth_m));
  std::fflush(stdout);
}

void print_rows(const Task& task, OdometryOptions options, bool kiss) {
  const std::size_t frames = std::min(task.frames, task.sequence.size() - task.first);
  const auto begin = task.sequence.ground_truth.begin() + static_cast<std::ptrdiff_t>(task.first);
  const Poses truth(begin, begin + static_cast<std::ptrdiff_t>(frames));
  options.deskew = task.deskew;
  print_row(task.sequence.name, run_odometry(task.sequence, task.first, frames, options), truth, task.truth_m);
  if (kiss) print_row("- KISS-ICP", run_kiss_icp(task.sequence, task.first, frames, task.deskew), truth, task.truth_m);
}

struct Arguments {
  OdometryOptions options;
  std::vector<Task> tasks;
  bool kiss = false;
};

Arguments parsed(int argc, char** argv) {
  Arguments all;
  all.options.threads = 2;
  double truth_m = 0.0;
  std::size_t first = 0;
  parte::datasets::SyntheticOptions world;
  parte::datasets::KittiOptions kitti;
  for (int k = 1; k < argc; ++k) {
    const std::string name = argv[k];
    const auto next = [&] {
      return ++k < argc ? std::string(argv[k]) : throw std::invalid_argument(name + " of what?");
    };
    const auto number = [&] { return std::atof(next().c_str()); };
    if (name == "--threads") {
      all.options.threads = static_cast<int>(number());
    } else if (name == "--voxel") {
      all.options.voxel = number();
    } else if (name == "--truth") {
      truth_m = number();
    } else if (name == "--kiss") {
      all.kiss = true;
    } else if (name == "--elevation") {
      kitti.elevation_correction_deg = number();
    } else if (name == "--lidar") {
      world.lidar = parte::datasets::LidarOptions::of(parte::datasets::lidar_named(next()));
    } else if (name == "--seed") {
      world.seed = static_cast<std::uint64_t>(number());
    } else if (name == "--first") {
      first = static_cast<std::size_t>(number());
    } else if (name == "--distort") {
      world.motion_distortion = true;
    } else if (name == "--kitti") {
      const std::string root = next();
      all.tasks.push_back({parte::datasets::open_kitti(root, next(), kitti), 0, 10'000, truth_m});
    } else if (name == "--folder") {
      all.tasks.push_back({parte::datasets::open_folder(next()), 0, 10'000});
    } else if (name == "--synthetic") {
      world.preset = parte::datasets::preset_named(next());
      Task task{parte::datasets::open_synthetic(world), first, static_cast<std::size_t>(number())};
      task.deskew = world.motion_distortion;
      all.tasks.push_back(std::move(task));
    } else {
      throw std::invalid_argument("unknown argument " + name);
    }
  }
  if (all.tasks.empty()) all.tasks.push_back({parte::datasets::open_synthetic(world), 0, 100});
  return all;
}

int run_all(int argc, char** argv) {
  const Arguments all = parsed(argc, argv);
  std::printf(
      "| sequence | frames | points | Hz | CPU [ms] | iterations | path [m] | t_rel [%%] | ATE [m] | end [m] | step "
      "mean / "
      "max [mm] | not converged | NEES of 1 / 10 steps |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Task& task : all.tasks) print_rows(task, all.options, all.kiss);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try { return run_all(argc, argv); } catch (const std::exception& error) {
  std::fprintf(stderr, "parte_odometry_bench: %s\n", error.what());
  return 1;
}
