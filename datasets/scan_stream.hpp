#pragma once

#include <datasets/sequence.hpp>

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace parte::datasets {

struct Scan {
  std::size_t index;  ///< in the sequence
  int id;
  double time_s;
  Points points;
};

struct StreamOptions {
  std::size_t first = 0;                 ///< index of the first scan
  std::optional<std::size_t> last = {};  ///< index of the last scan, included; nothing: the last of the sequence
  std::size_t look_ahead = 4;            ///< scans that are read or kept before they are asked for; at least 1
};

/// The scans of a sequence one after the other, read ahead in the background: whoever works on one finds the next
/// ready.
class ScanStream {
 public:
  /// Throws std::invalid_argument for options that do not fit the sequence.
  explicit ScanStream(Sequence sequence, const StreamOptions& options = {});
  /// Waits for the reads that are under way, and begins no other.
  ~ScanStream();
  ScanStream(const ScanStream&) = delete;
  ScanStream& operator=(const ScanStream&) = delete;

  /// The next scan; nothing after the last. What reading it threw is thrown here, and the call after that one gives the
  /// scan that follows. For one thread at a time.
  [[nodiscard]] std::optional<Scan> next();

 private:
  struct Slot {
    bool ready = false;
    Points points;
    std::exception_ptr error;
  };

  void work();
  void stop();
  [[nodiscard]] Slot read(std::size_t index) const;
  [[nodiscard]] Slot& slot(std::size_t index) { return slots_[index % slots_.size()]; }

  const Sequence sequence_;
  std::size_t end_;
  std::mutex mutex_;  ///< of everything below but the threads
  std::condition_variable changed_;
  std::vector<Slot> slots_;  ///< a scan's place is its index modulo their number
  std::size_t next_read_, next_out_;
  bool stopped_ = false;
  // Threads of their own and not TBB's: a thread that waits for the disk must not be missing among those that compute.
  std::vector<std::thread> threads_;
};

}  // namespace parte::datasets
