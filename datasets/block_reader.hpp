#pragma once

#include <datasets/lines.hpp>

namespace parte::datasets {

/// Collects headings that are each followed by a table of numbers, as in gt.log: a heading, then rows x columns.
class BlockReader {
 public:
  BlockReader(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns) {}

  /// Calls visit(heading, numbers) with the last row of a table; numbers are still words, row major.
  template <class Visit>
  void feed(const Line& line, Visit&& visit) {
    if (!heading_) {
      heading_.emplace(line);
      return;
    }
    if (line.words.size() != columns_)
      line.fail("expected row " + std::to_string(numbers_.size() / columns_ + 1) + " of " + std::to_string(rows_) +
                " with " + std::to_string(columns_) + " numbers, found " + std::to_string(line.words.size()));
    numbers_.insert(numbers_.end(), line.words.begin(), line.words.end());
    if (numbers_.size() < rows_ * columns_) return;
    visit(*heading_, numbers_);
    heading_.reset();
    numbers_.clear();
  }

  /// At the end of the text: a heading may not stand without its table.
  void finish() const {
    if (heading_)
      heading_->fail("only " + std::to_string(numbers_.size() / columns_) + " of " + std::to_string(rows_) +
                     " rows follow; is the file truncated?");
  }

 private:
  std::size_t rows_, columns_;
  std::optional<Line> heading_;
  std::vector<std::string_view> numbers_;
};

}  // namespace parte::datasets
