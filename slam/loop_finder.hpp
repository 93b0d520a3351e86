#pragma once

#include <parte/align_near.hpp>
#include <slam/factor.hpp>
#include <slam/loop_attempt.hpp>
#include <slam/odometry_chain.hpp>
#include <slam/scan_descriptor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

/// Where loops may be, and whether they are there.
namespace parte::slam {

struct LoopFinderOptions {
  double min_path_m = 40.0;         ///< travelled between two places before they can make a loop
  double radius_m = 25.0;           ///< places this near under the current estimate are candidates ...
  double sigmas = 3.0;              ///< ... plus so many standard deviations of the estimate ...
  double max_radius_m = 60.0;       ///< ... but no farther than this
  bool look_alikes = true;          ///< candidates that look like this place, wherever the estimate has them
  double max_unlikeness = 0.3;      ///< descriptor_distance() of such a candidate
  int shortlist = 25;               ///< places whose descriptors are compared, the likest by their rings
  int max_attempts = 3;             ///< candidates tried from one place; the first loop found ends the search
  double max_odometry_chi2 = 22.5;  ///< of a loop against odometry; 99.9 % with 6 degrees of freedom
  double alias_range_m = 20.0;      ///< how far off wrong registrations are; docs/ALGORITHM.md, "Evidence"
  int max_neighbors = 4;            ///< pairs next to a loop that are registered where its evidence does not suffice
  /// At the end, places that no loop holds are registered from where the trajectory has them: partial loops, which
  /// leave one shift open, as along a street, and are wide along it; slam/partial_loops. LiDAR only.
  bool partial_loops = true;
  CovarianceOptions covariance;
  ScanDescriptorOptions descriptor;
  /// Called with every registration that can be used, while what it was made of is at hand.
  std::function<void(const LoopAttempt&, const Result&, const Features& source, const Features& target)> on_registered =
      {};
  /// For fragments of a depth camera, whose views have no common upright direction to compare.
  [[nodiscard]] static LoopFinderOptions rgbd();
  void validate() const;  ///< throws std::invalid_argument naming the field
};

/// A place that scans can be registered at.
struct Place {
  std::size_t position = 0;                          ///< on the odometry chain
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< of what was seen, in the sensor's frame
  ScanDescriptor descriptor;                         ///< empty if look-alikes are not asked for
};
[[nodiscard]] Place make_place(std::size_t position, const Features& features, const LoopFinderOptions& options);

/// Finds loops from each place to the earlier ones. For one thread at a time.
class LoopFinder {
 public:
  using FeaturesOf = std::function<std::shared_ptr<const Features>(std::size_t place)>;
  /// Keeps `features`, which is asked for places that were added. The voxel size of the covariances is that of the
  /// registration.
  LoopFinder(Registration registration, LoopFinderOptions options, FeaturesOf features);

  /// The next place. Positions must ascend.
  void add(Place place);

  using Pairs = std::set<std::pair<std::size_t, std::size_t>>;
  /// Tries to close loops from a place to earlier ones, but not the pairs (earlier, place) that are `known`.
  /// `estimates`: where each place is thought to be.
  [[nodiscard]] std::vector<LoopAttempt> search(std::size_t place, const OdometryChain& chain,
                                                const std::vector<gtsam::Pose3>& estimates,
                                                const Pairs& known = {}) const;
  /// Registers one pair of places, from < to, and judges it against odometry.
  [[nodiscard]] LoopAttempt try_pair(std::size_t from, std::size_t to, const OdometryChain& chain,
                                     const std::vector<gtsam::Pose3>& estimates) const;
  /// The earlier place that is nearest by the estimates, as a candidate for try_near(): at least min_path_m ago and at
  /// most radius_m away; nothing if there is none.
  [[nodiscard]] std::optional<LoopAttempt> nearest(std::size_t place, const OdometryChain& chain,
                                                   const std::vector<gtsam::Pose3>& estimates) const;
  /// Registers a candidate from where it is expected: a partial loop, or none. False if the expectation is too vague.
  bool try_near(LoopAttempt& candidate, const Expectation& expected, const OdometryChain& chain,
                const std::vector<gtsam::Pose3>& estimates) const;
  /// From now on the estimate of that place is held by a loop.
  void hold(std::size_t place) { held_ = place; }

  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] const LoopFinderOptions& options() const { return options_; }

 private:
  [[nodiscard]] bool is_near(const OdometryChain& chain, const LoopAttempt& candidate) const;
  void compare(LoopAttempt& candidate) const;
  [[nodiscard]] LoopAttempt candidate(std::size_t from, std::size_t to,
                                      const std::vector<gtsam::Pose3>& estimates) const;
  [[nodiscard]] std::vector<LoopAttempt> earlier_places(std::size_t place, const OdometryChain& chain,
                                                        const std::vector<gtsam::Pose3>& estimates,
                                                        const Pairs& known) const;
  [[nodiscard]] std::vector<LoopAttempt> candidates(const OdometryChain& chain,
                                                    const std::vector<LoopAttempt>& earlier) const;
  [[nodiscard]] std::vector<LoopAttempt> nearby(const OdometryChain& chain,
                                                const std::vector<LoopAttempt>& earlier) const;
  [[nodiscard]] std::vector<LoopAttempt> shortlist(std::vector<LoopAttempt> candidates) const;
  [[nodiscard]] std::vector<LoopAttempt> look_alikes(const std::vector<LoopAttempt>& earlier) const;
  void attempt(LoopAttempt& loop, const OdometryChain& chain, const std::vector<gtsam::Pose3>& estimates) const;
  /// Takes over what a registration says, and judges it.
  void conclude(LoopAttempt& loop, const Result& result, const OdometryChain& chain,
                const std::vector<gtsam::Pose3>& estimates) const;
  void judge(LoopAttempt& loop, const OdometryChain& chain, const std::vector<gtsam::Pose3>& estimates) const;

  Registration registration_;
  LoopFinderOptions options_;
  FeaturesOf features_;
  std::vector<Place> places_;
  std::size_t held_ = 0;
};

}  // namespace parte::slam
