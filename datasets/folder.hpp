#pragma once

#include <datasets/sequence.hpp>

#include <filesystem>
#include <optional>

namespace parte::datasets {

/// The scans of a folder, or of its sub-folder velodyne/ if it has one, in the order of the numbers in their names.
///
/// Scans are the files that read_scan knows; .txt and .csv count only where there are no others, and calib.txt,
/// poses.txt, times.txt and timestamps.txt never. A frame's id is the last number of its file's name; where a file has
/// none, or one that is no id, such as a time stamp, the ids are the positions 0, 1, ...
///
/// Times are those of times.txt or timestamps.txt, one number per line, else 0.1 s apart. Ground truth are the poses of
/// the LiDAR in the given file, else in poses.txt, else none. Both files have a line for each scan, or one for each id
/// from 0 on. Poses with times (TUM) go to the scans nearest in time, within half the usual time between two scans.
///
/// Throws IoError: for a folder without scans, two scans of one id, and times or poses that do not suffice.
[[nodiscard]] Sequence open_folder(const std::filesystem::path& folder,
                                   const std::optional<std::filesystem::path>& poses = std::nullopt);

}  // namespace parte::datasets
