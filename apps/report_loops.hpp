#pragma once

#include <apps/report_cloud.hpp>
#include <apps/slam_report.hpp>

#include <set>

/// The parts of a SlamReport that grow with the loops.
namespace parte::apps {

/// Appends x, y and z with so many decimals.
void append_rounded(nlohmann::ordered_json& array, const Eigen::Vector3d& point, int decimals = 3);

/// All loops; those in `opened` with their detail, if they were registered.
[[nodiscard]] nlohmann::ordered_json loops_json(const SlamPage& page, const std::set<std::size_t>& opened);

[[nodiscard]] std::set<std::size_t> keyframes_of(const SlamPage& page, const std::vector<std::size_t>& loops);

struct FittedScans {
  nlohmann::ordered_json json;
  std::size_t points = 0;  ///< that a scan has at most
  bool thinned = false;    ///< some had more
};
/// The scans of the keyframes, with as many points as so many bytes hold. Nothing if they would be too few to see
/// anything.
[[nodiscard]] std::optional<FittedScans> fit_scans(const SlamPage& page, const std::set<std::size_t>& keyframes,
                                                   std::size_t bytes);

}  // namespace parte::apps
