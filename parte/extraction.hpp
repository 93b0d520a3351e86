#pragma once

#include <parte/registration.hpp>

namespace parte {

/// Registration::extract() inside its own arena: from a scan to its features, in the order of the paper.
void extract_into(Features& f, PointsView points, const std::optional<Eigen::Vector3d>& sensor, const Options& o);

}  // namespace parte
