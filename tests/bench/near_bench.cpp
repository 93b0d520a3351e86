// What registrations from an expectation are worth, as CSV for the table in docs/BENCHMARK.md, "Evidence of loops".
//   parte_near_bench PRESET SEED PAIRS
// Revisits within 20 m of a synthetic drive. Each is registered from near the truth (standard deviations of 1 m along,
// 0.5 m across and 0.5 deg of yaw) and eight times from 1.5 to 12 m beside it and 3 deg off, where all is wrong that
// does not find back. What the open direction leaves within 0.5 m and 1 deg of the truth is correct.

#include <datasets/random.hpp>
#include <datasets/world/synthetic.hpp>
#include <parte/align_near.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace parte;
using Eigen::Isometry3d;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kReach = 20.0, kMinPath = 40.0;  // [m]
constexpr std::size_t kEvery = 2;                 // frames

/// Each frame with the nearest earlier one.
Pairs revisits(const std::vector<Isometry3d>& truth) {
  std::vector<double> path(1, 0.0);
  for (std::size_t i = 1; i < truth.size(); ++i)
    path.push_back(path.back() + (truth[i].translation() - truth[i - 1].translation()).norm());
  Pairs pairs;
  for (std::size_t i = 0; i < truth.size(); i += kEvery) {
    double least = kReach;
    std::size_t nearest = i;
    for (std::size_t j = 0; j < i && path[i] - path[j] > kMinPath; j += kEvery) {
      const double apart = (truth[i].translation() - truth[j].translation()).norm();
      if (apart < least) least = apart, nearest = j;
    }
    if (nearest < i) pairs.emplace_back(nearest, i);
  }
  return pairs;
}

/// Moved along what it leaves open to where it is nearest to the truth.
Isometry3d remaining_error(const Result& r, const Isometry3d& truth) {
  const Isometry3d error = truth.inverse() * r.T_target_source;
  if (r.free_directions.empty()) return error;
  const Vector6d along = r.free_directions.front() / r.free_directions.front().tail<3>().norm();
  Isometry3d best = error;
  for (double s = -25.0; s <= 25.0; s += 0.02)
    if (const Isometry3d moved = error * motion(s * along); moved.translation().norm() < best.translation().norm())
      best = moved;
  return best;
}

void row(const char* preset, const char* seed, int start, const Result& r, const Isometry3d& truth) {
  const Isometry3d error = remaining_error(r, truth);
  const double shift_m = error.translation().norm(), turn_deg = Eigen::AngleAxisd(error.linear()).angle() / kDegree;
  std::printf("%s,%s,%d,%.3f,%.3f,%.4f,%.4f,%.4f,%d,%d\n", preset, seed, start, shift_m, turn_deg,
              r.overlap.agreement(), r.overlap.sharpness(), r.overlap.fraction(), shift_m < 0.5 && turn_deg < 1.0,
              r.partial);
}

void run(const char* preset, const char* seed, std::size_t count) {
  datasets::SyntheticOptions options;
  options.preset = datasets::preset_named(preset);
  options.seed = std::stoull(seed);
  const datasets::Sequence sequence = datasets::open_synthetic(options);
  const Pairs pairs = revisits(sequence.ground_truth);
  const Registration registration;
  datasets::Random random(options.seed);
  std::printf("preset,seed,start,error_m,error_deg,agreement,sharpness,overlap,correct,partial\n");
  for (std::size_t n = 0; n < count; ++n) {
    const auto [a, b] = pairs.at((2 * n + 1) * pairs.size() / (2 * count));
    const Features target = registration.extract(sequence.read(a)), source = registration.extract(sequence.read(b));
    const Isometry3d truth = sequence.ground_truth[a].inverse() * sequence.ground_truth[b];
    Vector6d sigma;
    sigma << 0.002, 0.002, 0.5 * kDegree, 1.0, 0.5, 0.05;
    for (int start = 0; start < 9; ++start) {
      Vector6d error = sigma;
      for (int k = 0; k < 6; ++k) error[k] *= random.normal();
      const double beside = 1.5 * std::pow(2.0, (start - 1) / 2) * random.uniform(0.8, 1.25);
      if (start > 0) error[4] += start % 2 ? beside : -beside;
      if (start > 0) error[2] += 3.0 * kDegree * random.normal();
      const Expectation expected{truth * motion(error), sigma.cwiseAbs2().asDiagonal()};
      row(preset, seed, start, align_near(source, target, expected, registration.options()), truth);
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) throw std::invalid_argument("usage: parte_near_bench PRESET SEED PAIRS");
  run(argv[1], argv[2], std::stoul(argv[3]));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "parte_near_bench: %s\n", error.what());
  return 1;
}
