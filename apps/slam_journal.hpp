#pragma once

#include <apps/slam_replay.hpp>

#include <filesystem>

namespace parte::apps {

/// What a run has done so far, in a folder, so that it can be interrupted at any time, even killed:
///   journal.jsonl  a line for every frame and every keyframe, appended as they are done
///   points.bin     descriptors and map points of the keyframes and what their loops were made of, appended too
///   checkpoint     how much of both counts, and the state of the odometry; replaced at once or not at all
/// What was appended after the last checkpoint is cut off and done again.
class SlamJournal {
 public:
  explicit SlamJournal(std::filesystem::path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] bool exists() const;
  /// [m] that the run was begun with, so that a map never mixes two. Throws IoError for a damaged journal.
  [[nodiscard]] double voxel() const;
  /// Puts what was done into a run that has done nothing. Throws IoError for a damaged journal.
  void resume(SlamReplay& run);
  /// Appends what the run has done since the last call. Throws IoError.
  void checkpoint(const SlamReplay& run);
  /// The run is finished.
  void remove();

 private:
  std::filesystem::path folder_;
  std::size_t frames_ = 0, keyframes_ = 0;  ///< that are in the files
};

}  // namespace parte::apps
