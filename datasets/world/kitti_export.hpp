#pragma once

#include <datasets/world/synthetic.hpp>

#include <filesystem>

namespace parte::datasets {

/// Writes frames first..last (included) of a drive in KITTI's own layout, so that any KITTI tool reads them:
/// sequences/NAME/{velodyne,labels}/NNNNNN.{bin,label}, calib.txt, times.txt and poses/NAME.txt in the camera frame.
/// Labels are SemanticKITTI's: 252 and 254 move. Times and poses are those of all frames up to `last`.
/// Frames whose two files are there already are left as they are, so that an interrupted run goes on; `written` is
/// called after each frame and may return false to stop. Throws IoError.
void write_kitti(const SyntheticDrive& drive, const std::filesystem::path& root, const std::string& name,
                 std::size_t first, std::size_t last, const std::function<bool(std::size_t frame)>& written);

}  // namespace parte::datasets
