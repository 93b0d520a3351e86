#include <apps/progress.hpp>

#include <apps/terminal.hpp>

#include <cstdio>
#include <utility>

namespace parte::apps {
namespace {

std::string clock_time(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  char text[32];
  if (s < 3600)
    std::snprintf(text, sizeof text, "%ld:%02ld", s / 60, s % 60);
  else
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  return text;
}

std::string bar(std::size_t done, std::size_t total) {
  std::string text(20, '-');
  text.replace(0, text.size() * done / total, text.size() * done / total, '#');
  return text;
}

}  // namespace

Progress::Progress(std::string task, std::size_t total, std::size_t done)
    : task_(std::move(task)), total_(total), first_(done), terminal_(is_terminal(stderr)) {}

void Progress::show(std::size_t done) {
  constexpr std::chrono::milliseconds kTerminal{100}, kPlain{10'000};
  const auto now = Clock::now();
  if (done != total_ && now - last_ < (terminal_ ? kTerminal : kPlain)) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done - first_) / seconds;
  const double left = rate > 0.0 ? static_cast<double>(total_ - done) / rate : 0.0;
  if (terminal_) std::fprintf(stderr, "\r%s  [%s]", task_.c_str(), bar(done, total_).c_str());
  if (!terminal_) std::fprintf(stderr, "%s", task_.c_str());
  std::fprintf(stderr, "  %3zu %%  %zu/%zu  %.1f Hz  eta %s%s", 100 * done / total_, done, total_, rate,
               clock_time(left).c_str(), terminal_ ? "   " : "\n");
  open_ = terminal_;
  if (done == total_) end();
}

void Progress::end() {
  if (std::exchange(open_, false)) std::fputc('\n', stderr);
}

}  // namespace parte::apps
