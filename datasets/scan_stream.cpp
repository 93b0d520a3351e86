#include <datasets/scan_stream.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace parte::datasets {
namespace {

[[noreturn]] void refuse(const std::string& problem) { throw std::invalid_argument("ScanStream: " + problem); }

/// One past the last scan.
std::size_t checked_end(const Sequence& sequence, const StreamOptions& options) {
  const std::size_t size = sequence.size(), end = options.last ? *options.last + 1 : size;
  if (!sequence.read || sequence.times_s.size() != size)
    refuse("the sequence needs a reader and a time for each frame");
  if (options.look_ahead < 1) refuse("look_ahead must be at least 1");
  if (options.last && *options.last >= size)
    refuse("last is " + std::to_string(*options.last) + ", but there are " + std::to_string(size) + " scans");
  if (options.first >= std::max<std::size_t>(end, 1))  // an empty sequence is a stream that ends at once
    refuse("first is " + std::to_string(options.first) + ", after the last scan");
  return end;
}

}  // namespace

ScanStream::ScanStream(Sequence sequence, const StreamOptions& options)
    : sequence_(std::move(sequence)),
      end_(checked_end(sequence_, options)),
      // No more than there are scans: a look-ahead of "everything" may be a very large number.
      slots_(std::clamp<std::size_t>(end_ - options.first, 1, options.look_ahead)),
      next_read_(options.first),
      next_out_(options.first) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  try {
    for (std::size_t i = 0; i < std::min({slots_.size(), cores, end_ - options.first}); ++i)
      threads_.emplace_back([this] { work(); });
  } catch (...) {  // the system gives no more threads; a joinable one must not be destroyed
    stop();
    throw;
  }
}

ScanStream::~ScanStream() { stop(); }

void ScanStream::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::optional<Scan> ScanStream::next() {
  std::unique_lock lock(mutex_);
  if (next_out_ == end_) return std::nullopt;
  const std::size_t index = next_out_;
  changed_.wait(lock, [&] { return slot(index).ready; });
  Slot done = std::exchange(slot(index), Slot());
  ++next_out_;
  lock.unlock();
  changed_.notify_all();
  if (done.error) std::rethrow_exception(done.error);
  return Scan{index, sequence_.ids[index], sequence_.times_s[index], std::move(done.points)};
}

void ScanStream::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopped_ || next_read_ == end_ || next_read_ - next_out_ < slots_.size(); });
    if (stopped_ || next_read_ == end_) return;
    const std::size_t index = next_read_++;
    lock.unlock();
    Slot done = read(index);
    lock.lock();
    slot(index) = std::move(done);
    changed_.notify_all();
  }
}

ScanStream::Slot ScanStream::read(std::size_t index) const {
  Slot done{true, {}, nullptr};
  try {
    done.points = sequence_.read(index);
  } catch (...) {
    done.error = std::current_exception();
  }
  return done;
}

}  // namespace parte::datasets
