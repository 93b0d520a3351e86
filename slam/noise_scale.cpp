#include <slam/noise_scale.hpp>

#include <parte/decompositions.hpp>
#include <parte/require.hpp>

#include <Eigen/Cholesky>
#include <gtsam/slam/BetweenFactor.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace parte::slam {
namespace {

using Between = gtsam::BetweenFactor<gtsam::Pose3>;

/// Upper quartile of chi-square with 3 degrees of freedom. Of all quantiles it depends least on how the variance is
/// spread over the three axes: a single one with all of it has the same within 4 %.
constexpr double kUpperQuartile = 4.11;
/// Degrees of freedom in which wrong loops are spread: places and headings of a vehicle.
constexpr double kPlane = 3.0;

/// A cycle of two neighbouring loops and the odometry between them.
struct Cycle {
  std::size_t a = 0, b = 0;                                    ///< loops
  double path_m = 0.0;                                         ///< of both stretches of odometry together
  double chi2 = 0.0;                                           ///< of its error, with the noise as given
  double chance_chi2 = 0.0;                                    ///< of an error as large as the window
  double odometry_rotation = 0.0, odometry_translation = 0.0;  ///< chi-square if all of the error came from there
  double loop_rotation = 0.0, loop_translation = 0.0;
  bool known = false;  ///< no unknown step on the way
};

double squared(const gtsam::Vector3& error, const gtsam::Matrix3& covariance) {
  return error.dot(covariance.ldlt().solve(error));
}

class Cycles {
 public:
  Cycles(const OdometryChain& chain, std::span<const ChainLoop> loops, double window_m)
      : chain_(chain), without_rotation_(chain.scaled(0.0, 1.0)), loops_(loops), window_m_(window_m) {}

  /// Of all loops that are neighbours on both stretches, evenly thinned out where there are very many.
  [[nodiscard]] std::vector<Cycle> all() const {
    std::vector<Cycle> found = neighbours();
    const std::size_t every = found.size() / kMost + 1;
    std::vector<Cycle> cycles((found.size() + every - 1) / every);
    tbb::parallel_for(std::size_t{0}, cycles.size(), [&](std::size_t i) { cycles[i] = closed(found[i * every]); });
    std::erase_if(cycles, [](const Cycle& cycle) { return !cycle.known; });
    return cycles;
  }

 private:
  static constexpr std::size_t kMost = 20'000;  // docs/ALGORITHM.md, "Robust pose graph", 2

  [[nodiscard]] std::vector<Cycle> neighbours() const {
    std::vector<Cycle> found;
    for (std::size_t i = 0; i < loops_.size(); ++i)
      for (std::size_t j = i + 1; j < loops_.size(); ++j) {
        // A loop that knows nothing of one direction would make the others look too good.
        if (leaves_open(loops_[i]) || leaves_open(loops_[j])) continue;
        const double from_m = std::abs(chain_.path_m(loops_[i].from) - chain_.path_m(loops_[j].from));
        const double to_m = std::abs(chain_.path_m(loops_[i].to) - chain_.path_m(loops_[j].to));
        if (from_m > window_m_ || to_m > window_m_) continue;
        found.push_back({.a = i, .b = j, .path_m = from_m + to_m});
      }
    return found;
  }

  [[nodiscard]] Cycle closed(Cycle cycle) const {
    const ChainLoop &a = loops_[cycle.a], &b = loops_[cycle.b];
    const Parts full = parts(chain_, a, b, 1.0), shifts = parts(without_rotation_, a, b, 0.0);
    cycle.known = !is_unknown(full.odometry);
    const gtsam::Matrix6 covariance = full.odometry + full.loops;
    cycle.chi2 = parte::chi2(full.error, covariance);
    cycle.chance_chi2 = 3.0 * window_m_ * window_m_ / covariance.diagonal().tail<3>().sum();
    const gtsam::Vector3 turn = full.error.head<3>(), shift = full.error.tail<3>();
    cycle.odometry_rotation = squared(turn, full.odometry.topLeftCorner<3, 3>());
    cycle.odometry_translation = squared(shift, shifts.odometry.bottomRightCorner<3, 3>());
    cycle.loop_rotation = squared(turn, full.loops.topLeftCorner<3, 3>());
    cycle.loop_translation = squared(shift, shifts.loops.bottomRightCorner<3, 3>());
    return cycle;
  }

  /// How far a cycle is from closing, and the covariance that either source gives it.
  struct Parts {
    gtsam::Vector6 error;
    gtsam::Matrix6 odometry, loops;
  };

  static Parts parts(const OdometryChain& chain, ChainLoop a, ChainLoop b, double rotation) {
    const gtsam::Matrix6 of_loops =
        moved(chain.motion(b.to, a.to), scaled(a.covariance, rotation, 1.0)) + scaled(b.covariance, rotation, 1.0);
    a.covariance.setZero();
    const ChainLoop there = chain.transported(a, b.from, b.to);
    return {gtsam::Pose3::Logmap(there.T_from_to.between(b.T_from_to)), there.covariance, of_loops};
  }

  const OdometryChain& chain_;
  OdometryChain without_rotation_;
  std::span<const ChainLoop> loops_;
  double window_m_;
};

double quantile(std::vector<double> values, double part) {
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

/// Those that agree far better than wrong loops would by chance, a contrario (Moisan and Stival, 2004): of all bounds
/// on chi-square the one within which the number of cycles is the most improbable.
std::vector<Cycle> agreeing(std::vector<Cycle> cycles, double least_chi2) {
  if (cycles.empty()) return cycles;
  std::vector<double> chance;
  for (const Cycle& cycle : cycles) chance.push_back(cycle.chance_chi2);
  const double chance_chi2 = quantile(chance, 0.5);
  std::stable_sort(cycles.begin(), cycles.end(), [](const Cycle& a, const Cycle& b) { return a.chi2 < b.chi2; });
  const auto count = static_cast<double>(cycles.size());
  std::size_t best = 0;
  double most = std::log(count);  // as many bounds are tried
  for (std::size_t k = 1; k <= cycles.size(); ++k) {
    const double part = static_cast<double>(k) / count;
    const double bound = std::clamp(cycles[k - 1].chi2, least_chi2, chance_chi2) / chance_chi2;
    const double improbable = static_cast<double>(k) * (std::log(part) - 0.5 * kPlane * std::log(bound));
    if (improbable > most) best = k, most = improbable;
  }
  cycles.resize(best);
  return cycles;
}

/// The factor on a standard deviation that gives the upper quartile of chi-square its due, shrunk towards 1.
double factor(const std::vector<Cycle>& cycles, double Cycle::*chi2, double trust, double max_factor) {
  std::vector<double> values;
  for (const Cycle& cycle : cycles) values.push_back(cycle.*chi2);
  const double found = std::sqrt(quantile(values, 0.75) / kUpperQuartile);
  return std::pow(std::clamp(found, 1.0 / max_factor, max_factor), trust);
}

}  // namespace

void NoiseScaleOptions::validate() const {
  require(prior_loops >= 0.0 && std::isfinite(prior_loops), "NoiseScaleOptions::prior_loops must not be negative");
  require(max_factor >= 1.0 && std::isfinite(max_factor), "NoiseScaleOptions::max_factor must be at least 1");
}

NoiseScale estimate_noise_scale(const OdometryChain& chain, std::span<const ChainLoop> loops, double window_m,
                                const NoiseScaleOptions& options) {
  options.validate();
  const double max = options.max_factor;
  std::vector<Cycle> cycles = agreeing(Cycles(chain, loops, window_m).all(), 6.0 / (max * max));
  // Near loops err alike: the difference of their errors is less than the error.
  std::erase_if(cycles, [&](const Cycle& cycle) { return cycle.path_m < window_m; });
  if (cycles.empty()) return {};
  std::set<std::size_t> speaking;
  for (const Cycle& cycle : cycles) speaking.insert({cycle.a, cycle.b});
  const auto n = static_cast<double>(speaking.size());
  const double trust = n / (n + options.prior_loops);
  return {.odometry_rotation = factor(cycles, &Cycle::odometry_rotation, trust, max),
          .odometry_translation = factor(cycles, &Cycle::odometry_translation, trust, max),
          .loop_rotation = factor(cycles, &Cycle::loop_rotation, trust, max),
          .loop_translation = factor(cycles, &Cycle::loop_translation, trust, max)};
}

gtsam::SharedNoiseModel scaled(const gtsam::SharedNoiseModel& noise, double rotation, double translation) {
  namespace nm = gtsam::noiseModel;
  const auto gaussian = nm::Gaussian::Covariance(scaled(covariance_of(noise), rotation, translation));
  if (const auto* robust = dynamic_cast<const nm::Robust*>(noise.get()))
    return nm::Robust::Create(robust->robust(), gaussian);
  return gaussian;
}

gtsam::NonlinearFactorGraph scaled_odometry(const gtsam::NonlinearFactorGraph& graph, const gtsam::Values& values,
                                            const NoiseScale& scale) {
  const std::vector<gtsam::Key> keys = pose_keys(values);
  gtsam::NonlinearFactorGraph result = graph;
  for (auto& factor : result) {
    const auto* step = dynamic_cast<const Between*>(factor.get());
    if (!step) continue;
    const auto next = std::upper_bound(keys.begin(), keys.end(), std::min(step->key1(), step->key2()));
    if (next == keys.end() || *next != std::max(step->key1(), step->key2())) continue;
    if (is_unknown(covariance_of(step->noiseModel()))) continue;
    factor = gtsam::NonlinearFactorGraph::sharedFactor(
        new Between(step->key1(), step->key2(), step->measured(),
                    scaled(step->noiseModel(), scale.odometry_rotation, scale.odometry_translation)));
  }
  return result;
}

}  // namespace parte::slam
