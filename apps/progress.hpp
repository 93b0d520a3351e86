#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace parte::apps {

/// Says on standard error how far a long task is: a line that changes on a terminal, now and then a line elsewhere.
class Progress {
 public:
  /// `done` of `total` are finished already.
  Progress(std::string task, std::size_t total, std::size_t done = 0);
  ~Progress() { end(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t done);
  /// Ends the line on a terminal, so that something else can be printed.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  std::string task_;
  std::size_t total_, first_;
  bool terminal_, open_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace parte::apps
