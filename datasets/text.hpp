#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parte::datasets {

/// The words of a line; blanks, tabs and line ends of any system separate them.
[[nodiscard]] inline std::vector<std::string_view> split(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r\n\v\f";
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(kBlank); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlank, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlank, end);
  }
  return words;
}

[[nodiscard]] inline std::string quoted(std::string_view word) {
  std::string text(1, '"');
  text += word;
  text += '"';
  return text;
}

/// The whole word as a number, whatever the locale; nothing if it is not one or does not fit.
template <class T>
[[nodiscard]] std::optional<T> parse_number(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace parte::datasets
