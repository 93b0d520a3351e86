#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace parte::apps {

[[nodiscard]] inline std::string with_digits(double value, int digits) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

/// Text in columns: the first one to the left, the others to the right.
class TextTable {
 public:
  /// `headings`, if any, has one for each column; equal neighbours share one, which stands above all of them.
  explicit TextTable(std::vector<std::string> headings = {}) : headings_(std::move(headings)) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] const std::vector<std::string>& headings() const { return headings_; }
  [[nodiscard]] const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> widths(headings_.size(), 0);
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()), 0);
      for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
    }
    std::string text = heading_line(widths);
    for (const auto& row : rows_) {
      for (std::size_t k = 0; k < row.size(); ++k)
        text += k == 0 ? row[k] + blanks(row[k], widths[k]) : kGap + blanks(row[k], widths[k]) + row[k];
      text.erase(text.find_last_not_of(' ') + 1);
      text += '\n';
    }
    return text;
  }

 private:
  inline static const std::string kGap = "  ";

  static std::string blanks(const std::string& word, std::size_t width) {
    return std::string(width - std::min(width, word.size()), ' ');
  }

  /// Widens columns whose heading needs more than they have.
  [[nodiscard]] std::string heading_line(std::vector<std::size_t>& widths) const {
    std::string line;
    for (std::size_t first = 0; first < headings_.size();) {
      std::size_t last = first, width = widths[first];
      while (last + 1 < headings_.size() && headings_[last + 1] == headings_[first])
        width += kGap.size() + widths[++last];
      if (headings_[first].size() > width) {
        widths[last] += headings_[first].size() - width;
        width = headings_[first].size();
      }
      if (first > 0) line += kGap;
      line += headings_[first] + blanks(headings_[first], width);
      first = last + 1;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line.empty() ? line : line + '\n';
  }

  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

/// A table with what is said about it.
struct TitledTable {
  std::string title;  ///< where there is room for one
  TextTable table;
  std::string footnote = {};

  [[nodiscard]] std::string text() const { return table.text() + (footnote.empty() ? "" : footnote + "\n"); }
};

}  // namespace parte::apps
