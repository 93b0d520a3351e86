#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace parte::apps {

[[nodiscard]] bool is_terminal(std::FILE* stream);

enum class Style { strong, faint, good, bad };
/// In colour if standard output is a terminal and NO_COLOR (https://no-color.org) is not set; else the text as it is.
[[nodiscard]] std::string styled(const std::string& text, Style style);

/// A name to the left, in a column that all summaries share.
[[nodiscard]] std::string label(const std::string& name);

/// What was written, and what to do next. `files` have a name and what is in them; those that are there are listed.
void print_written(const std::filesystem::path& folder, const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace parte::apps
