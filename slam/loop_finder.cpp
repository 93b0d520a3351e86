#include <slam/loop_finder.hpp>

#include <parte/downsample.hpp>
#include <parte/require.hpp>

#include <slam/loop_evidence.hpp>
#include <slam/pose3.hpp>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace parte::slam {
namespace {

/// Of a position [m], along the worst direction.
double position_sigma(const Matrix6d& covariance) {
  const Eigen::Matrix3d translation = covariance.bottomRightCorner<3, 3>();
  return std::sqrt(
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(translation, Eigen::EigenvaluesOnly).eigenvalues()(2));
}

/// The first `count` of the attempts in ascending order of a measure; equal ones in the order of their places.
template <class Measure>
void keep_least(std::vector<LoopAttempt>& attempts, std::size_t count, Measure&& measure) {
  const auto less = [&](const LoopAttempt& a, const LoopAttempt& b) {
    const double x = measure(a), y = measure(b);
    return x != y ? x < y : a.from < b.from;
  };
  count = std::min(count, attempts.size());
  std::partial_sort(attempts.begin(), attempts.begin() + static_cast<std::ptrdiff_t>(count), attempts.end(), less);
  attempts.resize(count);
}

/// Relative to where they were seen from: descriptors have it at their origin.
std::vector<Eigen::Vector3f> from_sensor(std::vector<Eigen::Vector3f> points, const Features& features) {
  const Eigen::Vector3f sensor = (features.cloud.origin + features.sensor).cast<float>();
  for (Eigen::Vector3f& p : points) p -= sensor;
  return points;
}

/// What the registration says, without its verdict.
void record(LoopAttempt& loop, const Result& result) {
  loop.status = result.status;
  loop.clique_points = result.clique_points.size();
  loop.clique_planes = result.clique_planes.size();
  loop.clique_weight = result.clique_weight;
  loop.proven_optimal = result.proven_optimal;
  loop.residual_m = result.point_rms_m;
  loop.overlap = result.overlap.fraction();
  loop.agreement = result.overlap.agreement();
  loop.sharpness = result.overlap.sharpness();
  loop.confidence = result.confidence;
  loop.members = result.evidence.members;
  loop.rival = result.evidence.rival;
  loop.hypotheses = result.hypotheses;
  if (!result.free_directions.empty()) loop.free_direction = result.free_directions.front();
}

}  // namespace

LoopFinderOptions LoopFinderOptions::rgbd() {
  LoopFinderOptions options;
  options.min_path_m = 3.0;
  options.radius_m = 1.5;
  options.max_radius_m = 5.0;
  options.alias_range_m = 2.0;
  options.look_alikes = false;
  options.partial_loops = false;  // their evidence is calibrated on LiDAR scans
  options.covariance = CovarianceOptions::rgbd();
  return options;
}

void LoopFinderOptions::validate() const {
  require(min_path_m > 0.0, "LoopFinderOptions::min_path_m must be positive");
  require(radius_m >= 0.0, "LoopFinderOptions::radius_m must not be negative");
  require(sigmas >= 0.0, "LoopFinderOptions::sigmas must not be negative");
  require(max_radius_m >= radius_m, "LoopFinderOptions::max_radius_m must not be below radius_m");
  require(max_unlikeness >= 0.0, "LoopFinderOptions::max_unlikeness must not be negative");
  require(shortlist > 0, "LoopFinderOptions::shortlist must be positive");
  require(max_attempts > 0, "LoopFinderOptions::max_attempts must be positive");
  require(max_odometry_chi2 > 0.0, "LoopFinderOptions::max_odometry_chi2 must be positive");
  require(alias_range_m > 0.0, "LoopFinderOptions::alias_range_m must be positive");
  require(max_neighbors >= 0, "LoopFinderOptions::max_neighbors must not be negative");
  covariance.validate();
  descriptor.validate();
}

Place make_place(std::size_t position, const Features& features, const LoopFinderOptions& options) {
  Place place;
  place.position = position;
  const std::vector<Eigen::Vector3f> points = callers_points(features.cloud);
  for (const Eigen::Vector3f& p : points) place.center += p.cast<double>() / static_cast<double>(points.size());
  if (options.look_alikes) place.descriptor = describe_scan(from_sensor(points, features), options.descriptor);
  return place;
}

LoopFinder::LoopFinder(Registration registration, LoopFinderOptions options, FeaturesOf features)
    : registration_(std::move(registration)), options_(options), features_(std::move(features)) {
  options_.covariance.voxel_m = registration_.options().voxel;
  options_.validate();
}

void LoopFinder::add(Place place) {
  if (!places_.empty() && place.position <= places_.back().position)
    throw std::invalid_argument("the positions of places must ascend");
  places_.push_back(std::move(place));
}

/// An estimate is as uncertain as odometry since the later of the earlier place and the last one that a loop holds.
bool LoopFinder::is_near(const OdometryChain& chain, const LoopAttempt& candidate) const {
  if (candidate.expected_distance_m <= options_.radius_m) return true;
  if (candidate.expected_distance_m > options_.max_radius_m) return false;
  const std::size_t since = std::max(candidate.from, std::min(held_, candidate.to));
  const double sigma = position_sigma(chain.covariance(places_[since].position, places_[candidate.to].position));
  return candidate.expected_distance_m <= options_.radius_m + options_.sigmas * sigma;
}

void LoopFinder::compare(LoopAttempt& candidate) const {
  candidate.unlikeness = descriptor_distance(places_[candidate.from].descriptor, places_[candidate.to].descriptor);
}

/// The nearest ones and, since the estimate may be far off, the one that looks most like this place.
std::vector<LoopAttempt> LoopFinder::nearby(const OdometryChain& chain, const std::vector<LoopAttempt>& earlier) const {
  std::vector<LoopAttempt> near;
  for (const LoopAttempt& c : earlier)
    if (is_near(chain, c)) near.push_back(c);
  std::vector<LoopAttempt> likest = options_.look_alikes ? shortlist(near) : std::vector<LoopAttempt>();
  for (LoopAttempt& c : likest) compare(c);
  keep_least(likest, 1, [](const LoopAttempt& c) { return c.unlikeness; });
  const int nearest = options_.look_alikes ? 1 : options_.max_attempts;
  keep_least(near, static_cast<std::size_t>(nearest), [](const LoopAttempt& c) { return c.expected_distance_m; });
  if (options_.look_alikes)
    for (LoopAttempt& c : near) compare(c);
  near.insert(near.end(), likest.begin(), likest.end());
  return near;
}

/// Those that look alike at the first glance, by their rings.
std::vector<LoopAttempt> LoopFinder::shortlist(std::vector<LoopAttempt> candidates) const {
  keep_least(candidates, static_cast<std::size_t>(options_.shortlist), [&](const LoopAttempt& c) {
    return static_cast<double>((places_[c.from].descriptor.rings - places_[c.to].descriptor.rings).squaredNorm());
  });
  return candidates;
}

std::vector<LoopAttempt> LoopFinder::look_alikes(const std::vector<LoopAttempt>& earlier) const {
  std::vector<LoopAttempt> alike = shortlist(earlier);
  for (LoopAttempt& c : alike) {
    c.look_alike = true;
    compare(c);
  }
  std::erase_if(alike, [&](const LoopAttempt& c) { return c.unlikeness > options_.max_unlikeness; });
  keep_least(alike, static_cast<std::size_t>(options_.max_attempts), [](const auto& c) { return c.unlikeness; });
  return alike;
}

LoopAttempt LoopFinder::candidate(std::size_t from, std::size_t to, const std::vector<gtsam::Pose3>& estimates) const {
  const auto center = [&](std::size_t i) { return estimates[i].transformFrom(places_[i].center); };
  LoopAttempt candidate;
  candidate.from = from;
  candidate.to = to;
  candidate.expected_distance_m = (center(from) - center(to)).norm();
  return candidate;
}

std::vector<LoopAttempt> LoopFinder::earlier_places(std::size_t place, const OdometryChain& chain,
                                                    const std::vector<gtsam::Pose3>& estimates,
                                                    const Pairs& known) const {
  std::vector<LoopAttempt> earlier;
  for (std::size_t i = 0; i < place; ++i) {
    if (chain.path_m(places_[place].position) - chain.path_m(places_[i].position) < options_.min_path_m) break;
    if (known.contains({i, place})) continue;
    earlier.push_back(candidate(i, place, estimates));
  }
  return earlier;
}

/// The likeliest first, none twice.
std::vector<LoopAttempt> LoopFinder::candidates(const OdometryChain& chain,
                                                const std::vector<LoopAttempt>& earlier) const {
  std::vector<LoopAttempt> chosen = nearby(chain, earlier);
  if (options_.look_alikes)
    for (LoopAttempt& c : look_alikes(earlier)) chosen.push_back(c);
  std::vector<LoopAttempt> distinct;
  for (const LoopAttempt& c : chosen)
    if (std::none_of(distinct.begin(), distinct.end(), [&](const LoopAttempt& d) { return d.from == c.from; }))
      distinct.push_back(c);
  distinct.resize(std::min(distinct.size(), static_cast<std::size_t>(options_.max_attempts)));
  return distinct;
}

void LoopFinder::attempt(LoopAttempt& loop, const OdometryChain& chain,
                         const std::vector<gtsam::Pose3>& estimates) const {
  const auto source = features_(loop.to), target = features_(loop.from);
  const auto start = std::chrono::steady_clock::now();
  const Result result = registration_.align(*source, *target);
  loop.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  conclude(loop, result, chain, estimates);
  if (loop.registered() && options_.on_registered) options_.on_registered(loop, result, *source, *target);
}

void LoopFinder::conclude(LoopAttempt& loop, const Result& result, const OdometryChain& chain,
                          const std::vector<gtsam::Pose3>& estimates) const {
  record(loop, result);
  if (loop.registered()) {
    loop.T_from_to = result.T_target_source;
    loop.covariance = registration_covariance(result, options_.covariance);
    judge(loop, chain, estimates);
  }
  loop.detail = explain(loop, {registration_.options().verification, options_.max_odometry_chi2});
}

/// Against odometry or the estimate. The estimate is better than odometry alone, unless a wrong loop has bent it: then
/// odometry speaks for the correct one.
void LoopFinder::judge(LoopAttempt& loop, const OdometryChain& chain,
                       const std::vector<gtsam::Pose3>& estimates) const {
  const std::size_t p = places_[loop.from].position, q = places_[loop.to].position;
  const ChainLoop measured{p, q, to_pose3(loop.T_from_to), loop.covariance};
  const ChainLoop odometry = chain.predicted(p, q);
  const ChainLoop estimate{p, q, estimates[loop.from].between(estimates[loop.to]), odometry.covariance};
  const double by_odometry = disagreement(odometry, measured), by_estimate = disagreement(estimate, measured);
  const gtsam::Pose3 gap = (by_odometry <= by_estimate ? odometry : estimate).T_from_to.between(measured.T_from_to);
  loop.odometry_chi2 = std::min(by_odometry, by_estimate);
  loop.odometry_gap_m = gap.translation().norm();
  loop.odometry_gap_deg = gap.rotation().axisAngle().second * 180.0 / std::numbers::pi;
  loop.odometry_sigma_m = position_sigma(odometry.covariance);
  const bool agrees = loop.odometry_chi2 <= options_.max_odometry_chi2;
  loop.verdict = agrees ? LoopVerdict::accepted : LoopVerdict::contradicts_odometry;
  loop.evidence = registration_evidence(loop);
  if (agrees && !loop.from_estimate)  // which agrees because it began there
    loop.evidence += odometry_evidence(loop.odometry_sigma_m, options_.max_odometry_chi2, options_.alias_range_m);
}

LoopAttempt LoopFinder::try_pair(std::size_t from, std::size_t to, const OdometryChain& chain,
                                 const std::vector<gtsam::Pose3>& estimates) const {
  LoopAttempt loop = candidate(from, to, estimates);
  loop.neighbor = true;
  if (options_.look_alikes) compare(loop);
  attempt(loop, chain, estimates);
  return loop;
}

std::optional<LoopAttempt> LoopFinder::nearest(std::size_t place, const OdometryChain& chain,
                                               const std::vector<gtsam::Pose3>& estimates) const {
  const std::vector<LoopAttempt> earlier = earlier_places(place, chain, estimates, {});
  const auto best = std::min_element(earlier.begin(), earlier.end(), [](const LoopAttempt& a, const LoopAttempt& b) {
    return a.expected_distance_m < b.expected_distance_m;
  });
  if (best == earlier.end() || best->expected_distance_m > options_.radius_m) return std::nullopt;
  LoopAttempt candidate = *best;
  if (options_.look_alikes) compare(candidate);
  return candidate;
}

bool LoopFinder::try_near(LoopAttempt& loop, const Expectation& expected, const OdometryChain& chain,
                          const std::vector<gtsam::Pose3>& estimates) const {
  const auto source = features_(loop.to), target = features_(loop.from);
  const auto start = std::chrono::steady_clock::now();
  const Result result = align_near(*source, *target, expected, registration_.options());
  loop.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (result.free_directions.empty()) return false;
  loop.from_estimate = true;
  loop.partial = result.partial;
  conclude(loop, result, chain, estimates);
  if (loop.registered() && options_.on_registered) options_.on_registered(loop, result, *source, *target);
  return true;
}

std::vector<LoopAttempt> LoopFinder::search(std::size_t place, const OdometryChain& chain,
                                            const std::vector<gtsam::Pose3>& estimates, const Pairs& known) const {
  std::vector<LoopAttempt> tried;
  for (LoopAttempt& candidate : candidates(chain, earlier_places(place, chain, estimates, known))) {
    attempt(candidate, chain, estimates);
    tried.push_back(candidate);
    if (candidate.accepted()) break;
  }
  return tried;
}

}  // namespace parte::slam
