#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parte::datasets {

inline constexpr std::string_view kBlank = " \t\r\n\v\f";

/// The words of a line; blanks, tabs and line ends of any system separate them.
[[nodiscard]] inline std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(kBlank); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlank, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlank, end);
  }
  return words;
}

/// For messages, hence of a length that one can read, whatever is in the file.
[[nodiscard]] inline std::string quoted(std::string_view word) {
  constexpr std::size_t kLongest = 60;
  std::string text(1, '"');
  text += word.substr(0, kLongest);
  text += word.size() > kLongest ? "...\"" : "\"";
  return text;
}

/// Lest a std::string go to std::quoted.
[[nodiscard]] inline std::string quoted(const std::string& word) { return quoted(std::string_view(word)); }

[[nodiscard]] inline std::string lower_case(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
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

/// The shortest digits that parse_number turns into the same number again.
template <class T>
void append_number(std::string& text, T value) {
  std::array<char, 32> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

/// "000042" for 42 and a width of 6; a number that is wider stays whole.
[[nodiscard]] inline std::string zero_padded(std::size_t number, std::size_t width) {
  const std::string digits = std::to_string(number);
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

}  // namespace parte::datasets
