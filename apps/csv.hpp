#pragma once

#include <datasets/text.hpp>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace parte::apps {

/// A table as comma-separated values; words that may have commas go through quoted_cell().
class Csv {
 public:
  explicit Csv(std::string header) : text_(std::move(header)) {}
  template <class T>
  Csv& operator<<(const T& value) {
    if (!std::exchange(first_, false)) text_ += ',';
    if constexpr (std::is_arithmetic_v<T>)
      datasets::append_number(text_, value);
    else
      text_.append(std::string_view(value));
    return *this;
  }
  void end_line() { text_ += '\n', first_ = true; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool first_ = true;
};

/// A word that may have commas, quotes or line ends: quoted if it has, as RFC 4180 says.
[[nodiscard]] inline std::string quoted_cell(std::string_view word) {
  if (word.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(word);
  std::string cell = "\"";
  for (const char c : word) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

}  // namespace parte::apps
