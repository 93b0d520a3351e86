// Speed and drift of the odometry, as a table for docs/BENCHMARK.md.
//   parte_odometry_bench [--threads N] [--voxel METRES] [--kitti ROOT SEQUENCE]... [--folder FOLDER]...
//                        [--synthetic PRESET FRAMES]... [--truth METRES]
// --truth: how wrong a true motion of the KITTI sequences after it is itself (standard deviation), for the NEES.

#include <datasets/folder.hpp>
#include <datasets/kitti.hpp>
#include <datasets/world/synthetic.hpp>
#include <slam/odometry.hpp>

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
  std::vector<parte::Matrix6d> covariances;  ///< of the motion from the frame before; the first one is meaningless
  std::vector<double> times_s;
  std::vector<double> cpu_s;  ///< of all threads: other programs hardly change it
  std::size_t points = 0, iterations = 0, not_converged = 0;
};

/// Where nothing is known: 100 m and 100 rad.
parte::Matrix6d covariance(const parte::Matrix6d& information) {
  return (information + 1e-4 * parte::Matrix6d::Identity()).llt().solve(parte::Matrix6d::Identity());
}

Run run(const Sequence& sequence, std::size_t frames, const OdometryOptions& options) {
  Odometry odometry(options);
  Run result;
  for (std::size_t k = 0; k < frames; ++k) {
    const auto scan = sequence.read(k);
    const std::clock_t cpu_start = std::clock();
    const auto start = std::chrono::steady_clock::now();
    const Odometry::Step step = odometry.add(scan);
    result.times_s.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    result.cpu_s.push_back(static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC);
    result.poses.push_back(step.T_world_lidar);
    result.covariances.push_back(covariance(step.information));
    result.points += scan.size();
    result.iterations += static_cast<std::size_t>(step.iterations);
    result.not_converged += !step.converged;
  }
  return result;
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

/// Maps tangents at the frame b to those at a, (rotation, translation) as in Odometry::Step.
parte::Matrix6d adjoint(const Eigen::Isometry3d& T_a_b) {
  parte::Matrix6d rotation = parte::Matrix6d::Zero();
  rotation.topLeftCorner<3, 3>() = rotation.bottomRightCorner<3, 3>() = T_a_b.linear();
  return parte::translation_adjoint(T_a_b.translation()) * rotation;
}

/// Mean normalized estimation error squared of the motions over `stride` frames, whose steps are taken as independent;
/// 6 if the information tells the truth. `truth_m` is the deviation of a true motion.
double mean_nees(const Run& found, const Poses& truth, std::size_t stride, double truth_m) {
  double sum = 0.0;
  for (std::size_t k = stride; k < found.poses.size(); ++k) {
    const Eigen::Isometry3d motion = found.poses[k - stride].inverse() * found.poses[k];
    const parte::Vector6d error = parte::slam::tangent(motion.inverse() * truth[k - stride].inverse() * truth[k]);
    parte::Matrix6d covariance = parte::Matrix6d::Zero();
    covariance.bottomRightCorner<3, 3>().diagonal().setConstant(truth_m * truth_m);
    for (std::size_t j = k - stride + 1; j <= k; ++j) {
      const parte::Matrix6d Ad = adjoint(found.poses[k].inverse() * found.poses[j]);
      covariance += Ad * found.covariances[j] * Ad.transpose();
    }
    sum += error.dot(covariance.ldlt().solve(error));
  }
  return sum / static_cast<double>(found.poses.size() - stride);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Task {
  Sequence sequence;
  std::size_t frames;
  double truth_m = 0.0;  ///< standard deviation of the true motions themselves
};

void print_row(const Task& task, const OdometryOptions& options) {
  const Sequence& sequence = task.sequence;
  const std::size_t frames = std::min(task.frames, sequence.size());
  const Run found = run(sequence, frames, options);
  const auto n = static_cast<double>(frames);
  const double end = position_error(found.poses, sequence.ground_truth, frames - 1);
  Poses truth(sequence.ground_truth.begin(), sequence.ground_truth.begin() + static_cast<std::ptrdiff_t>(frames));
  const std::vector<double> steps = step_errors(found.poses, truth);
  double mean = 0.0;
  for (const double error : steps) mean += error / static_cast<double>(steps.size());
  std::printf(
      "| %s | %zu | %.0f | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f | %.2f %% | %.1f / %.1f | %zu | %.1f / %.1f |\n",
      sequence.name.c_str(), frames, static_cast<double>(found.points) / n, 1.0 / median(found.times_s),
      1e3 * median(found.cpu_s), static_cast<double>(found.iterations) / n, path_length(truth),
      root_mean_square_error(found.poses, truth), end, 100.0 * end / path_length(truth), 1e3 * mean,
      1e3 * *std::max_element(steps.begin(), steps.end()), found.not_converged,
      mean_nees(found, truth, 1, task.truth_m),
      mean_nees(found, truth, std::min<std::size_t>(10, frames - 1), task.truth_m));
  std::fflush(stdout);
}

Sequence synthetic(const std::string& preset) {
  parte::datasets::SyntheticOptions options;
  options.preset = parte::datasets::preset_named(preset);
  return parte::datasets::open_synthetic(options);
}

int run_all(int argc, char** argv) {
  OdometryOptions options;
  options.threads = 2;
  std::vector<Task> tasks;
  double truth_m = 0.0;
  for (int k = 1; k < argc; ++k) {
    const std::string name = argv[k];
    const auto next = [&] {
      return ++k < argc ? std::string(argv[k]) : throw std::invalid_argument(name + " of what?");
    };
    if (name == "--threads") {
      options.threads = std::atoi(next().c_str());
    } else if (name == "--voxel") {
      options.voxel = std::atof(next().c_str());
    } else if (name == "--truth") {
      truth_m = std::atof(next().c_str());
    } else if (name == "--kitti") {
      const std::string root = next();
      tasks.push_back({parte::datasets::open_kitti(root, next()), 10'000, truth_m});
    } else if (name == "--folder") {
      tasks.push_back({parte::datasets::open_folder(next()), 10'000});
    } else if (name == "--synthetic") {
      const std::string preset = next();
      tasks.push_back({synthetic(preset), static_cast<std::size_t>(std::atoi(next().c_str()))});
    } else {
      throw std::invalid_argument("unknown argument " + name);
    }
  }
  if (tasks.empty()) tasks.push_back({synthetic("town"), 100});
  std::printf(
      "| sequence | frames | points | Hz | CPU [ms] | iterations | path [m] | ATE [m] | end [m] | end | step mean / "
      "max [mm] "
      "| not converged | NEES of 1 / 10 steps |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Task& task : tasks) print_row(task, options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try { return run_all(argc, argv); } catch (const std::exception& error) {
  std::fprintf(stderr, "parte_odometry_bench: %s\n", error.what());
  return 1;
}
