// Speed and drift of the odometry, as a table for docs/BENCHMARK.md.
//   parte_odometry_bench [--threads N] [--voxel METRES] [--kitti ROOT SEQUENCE]... [--folder FOLDER]...
//                        [--synthetic PRESET FRAMES]...

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
  std::vector<double> times_s;
  std::vector<double> cpu_s;  ///< of all threads: other programs hardly change it
  std::size_t points = 0, iterations = 0, not_converged = 0;
};

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

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void print_row(const Sequence& sequence, std::size_t frames, const OdometryOptions& options) {
  frames = std::min(frames, sequence.size());
  const Run found = run(sequence, frames, options);
  const auto n = static_cast<double>(frames);
  const double end = position_error(found.poses, sequence.ground_truth, frames - 1);
  Poses truth(sequence.ground_truth.begin(), sequence.ground_truth.begin() + static_cast<std::ptrdiff_t>(frames));
  const std::vector<double> steps = step_errors(found.poses, truth);
  double mean = 0.0;
  for (const double error : steps) mean += error / static_cast<double>(steps.size());
  std::printf("| %s | %zu | %.0f | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f | %.2f %% | %.1f / %.1f | %zu |\n",
              sequence.name.c_str(), frames, static_cast<double>(found.points) / n, 1.0 / median(found.times_s),
              1e3 * median(found.cpu_s), static_cast<double>(found.iterations) / n, path_length(truth),
              root_mean_square_error(found.poses, truth), end, 100.0 * end / path_length(truth), 1e3 * mean,
              1e3 * *std::max_element(steps.begin(), steps.end()), found.not_converged);
  std::fflush(stdout);
}

struct Task {
  Sequence sequence;
  std::size_t frames;
};

Sequence synthetic(const std::string& preset) {
  parte::datasets::SyntheticOptions options;
  options.preset = parte::datasets::preset_named(preset);
  return parte::datasets::open_synthetic(options);
}

int run_all(int argc, char** argv) {
  OdometryOptions options;
  options.threads = 2;
  std::vector<Task> tasks;
  for (int k = 1; k < argc; ++k) {
    const std::string name = argv[k];
    const auto next = [&] {
      return ++k < argc ? std::string(argv[k]) : throw std::invalid_argument(name + " of what?");
    };
    if (name == "--threads") {
      options.threads = std::atoi(next().c_str());
    } else if (name == "--voxel") {
      options.voxel = std::atof(next().c_str());
    } else if (name == "--kitti") {
      const std::string root = next();
      tasks.push_back({parte::datasets::open_kitti(root, next()), 10'000});
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
      "| not converged |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Task& task : tasks) print_row(task.sequence, task.frames, options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try { return run_all(argc, argv); } catch (const std::exception& error) {
  std::fprintf(stderr, "parte_odometry_bench: %s\n", error.what());
  return 1;
}
