#pragma once

#include <parte/types.hpp>

#include <Eigen/Geometry>
#include <filesystem>
#include <string_view>

namespace parte::apps {

struct PictureOptions {
  std::string_view after = "after";  ///< title of the aligned clouds
  bool camera_frame = false;         ///< z ahead and y down, not x ahead and z up
};

/// Whether a picture can be drawn to a file of that name: .png or .svg.
[[nodiscard]] bool is_picture_file(const std::filesystem::path& path);

/// A picture of two clouds, source orange and target blue, dark where both are: on the left as they come, on the right
/// aligned; two views of each. Throws std::invalid_argument unless is_picture_file(), datasets::IoError.
void draw_alignment(const std::filesystem::path& path, PointsView source, PointsView target,
                    const Eigen::Isometry3d& T_target_source, const PictureOptions& options = {});

}  // namespace parte::apps
