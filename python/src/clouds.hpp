#pragma once

#include "arrays.hpp"

#include <parte/matching.hpp>

namespace parte::python {

/// Throws where a stage would read normals that are not there.
void require_normals(const PointCloud& cloud);
/// `viewpoint` in the cloud's local coordinates.
[[nodiscard]] Eigen::Vector3d local_viewpoint(const PointCloud& cloud, const py::object& viewpoint);

}  // namespace parte::python
