#pragma once

#include <datasets/text.hpp>

#include <limits>
#include <stdexcept>
#include <string>

namespace parte::apps {

/// Numbers of frames, both included.
struct FrameRange {
  int first = 0, last = std::numeric_limits<int>::max();
};

/// Of the option --frames: A:B, or nothing for all frames. Throws std::invalid_argument.
[[nodiscard]] inline FrameRange parse_frames(const std::string& option) {
  if (option.empty()) return {};
  const std::string_view text = option;
  const std::size_t colon = text.find(':');
  const auto first = datasets::parse_number<int>(text.substr(0, colon));
  const auto last = colon == text.npos ? std::nullopt : datasets::parse_number<int>(text.substr(colon + 1));
  if (!first || !last || *first < 0 || *first > *last)
    throw std::invalid_argument("--frames must be A:B, the numbers of the first and last frame, not " + option);
  return {*first, *last};
}

}  // namespace parte::apps
