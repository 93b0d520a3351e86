#include <datasets/scan_stream.hpp>

#include <datasets/io_error.hpp>

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <set>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace parte::datasets;
using namespace std::chrono_literals;

namespace {

/// Frames 0, 10, 20, ..., whose one point is their index.
Sequence make_sequence(std::size_t size, std::function<Points(std::size_t)> read = {}) {
  Sequence sequence;
  for (std::size_t i = 0; i < size; ++i) {
    sequence.ids.push_back(static_cast<int>(10 * i));
    sequence.times_s.push_back(0.5 * static_cast<double>(i));
  }
  sequence.read = read ? std::move(read) : [](std::size_t i) { return Points{{static_cast<float>(i), 0, 0}}; };
  return sequence;
}

/// Later frames are read faster, so that they would overtake.
Points slow_first(std::size_t index) {
  std::this_thread::sleep_for(index % 3 == 0 ? 3ms : 0ms);
  return {{static_cast<float>(index), 0, 0}};
}

std::vector<std::size_t> indices(ScanStream& stream) {
  std::vector<std::size_t> seen;
  while (const auto scan = stream.next()) {
    REQUIRE(scan->id == static_cast<int>(10 * scan->index));
    REQUIRE(scan->time_s == 0.5 * static_cast<double>(scan->index));
    REQUIRE(scan->points == Points{{static_cast<float>(scan->index), 0, 0}});
    seen.push_back(scan->index);
  }
  return seen;
}

std::vector<std::size_t> from_to(std::size_t first, std::size_t last) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = first; i <= last; ++i) numbers.push_back(i);
  return numbers;
}

}  // namespace

TEST_CASE("scans come in order, however long each takes to read", "[stream]") {
  const auto look_ahead =
      GENERATE(std::size_t{1}, std::size_t{2}, std::size_t{7}, std::numeric_limits<std::size_t>::max());
  ScanStream stream(make_sequence(40, slow_first), {.look_ahead = look_ahead});
  REQUIRE(indices(stream) == from_to(0, 39));
  REQUIRE_FALSE(stream.next());
  REQUIRE_FALSE(stream.next());
}

TEST_CASE("a stream keeps to its range", "[stream]") {
  ScanStream middle(make_sequence(40), {.first = 7, .last = 12});
  REQUIRE(indices(middle) == from_to(7, 12));
  ScanStream one(make_sequence(40), {.first = 39, .last = 39});
  REQUIRE(indices(one) == from_to(39, 39));
  ScanStream rest(make_sequence(40), {.first = 38});
  REQUIRE(indices(rest) == from_to(38, 39));
  ScanStream none(make_sequence(0));
  REQUIRE_FALSE(none.next());
}

TEST_CASE("no more scans are read than may be kept", "[stream]") {
  const auto look_ahead = GENERATE(std::size_t{1}, std::size_t{3}, std::size_t{5});
  const auto begun = std::make_shared<std::atomic<std::size_t>>(0);
  const auto twice = std::make_shared<std::atomic<bool>>(false);
  const auto seen = std::make_shared<std::vector<std::atomic<bool>>>(60);
  ScanStream stream(make_sequence(60,
                                  [=](std::size_t index) {
                                    ++*begun;
                                    if ((*seen)[index].exchange(true)) *twice = true;
                                    return Points{{static_cast<float>(index), 0, 0}};
                                  }),
                    {.look_ahead = look_ahead});
  for (std::size_t taken = 0; taken < 60; ++taken) {
    if (taken % 20 == 10) {  // whoever is slow finds the stream ready, and waiting
      const std::size_t full = std::min<std::size_t>(taken + look_ahead, 60);
      for (int wait = 0; wait < 2000 && *begun < full; ++wait) std::this_thread::sleep_for(1ms);
      std::this_thread::sleep_for(5ms);
      REQUIRE(*begun == full);
    }
    REQUIRE(*begun <= taken + look_ahead);
    REQUIRE(stream.next());
  }
  REQUIRE(*begun == 60);
  REQUIRE_FALSE(*twice);
}

TEST_CASE("what the reader throws comes out at its scan, and the stream goes on", "[stream]") {
  ScanStream stream(make_sequence(10,
                                  [](std::size_t index) -> Points {
                                    if (index == 3) throw IoError("three.bin", Place::whole_file(), "is gone");
                                    return slow_first(index);
                                  }),
                    {.look_ahead = 4});
  for (std::size_t i = 0; i < 3; ++i) REQUIRE(stream.next()->index == i);
  REQUIRE_THROWS_AS(stream.next(), IoError);
  REQUIRE(indices(stream) == from_to(4, 9));
}

TEST_CASE("a stream may end while scans are being read", "[stream]") {
  const auto under_way = std::make_shared<std::atomic<int>>(0);
  const auto reads = std::make_shared<std::atomic<int>>(0);
  const auto slow = [=](std::size_t) {
    ++*under_way;
    ++*reads;
    std::this_thread::sleep_for(10ms);
    --*under_way;
    return Points(1000);
  };
  for (int taken = 0; taken < 3; ++taken) {
    *reads = 0;
    {
      ScanStream stream(make_sequence(1000, slow), {.look_ahead = 6});
      for (int i = 0; i < taken; ++i) REQUIRE(stream.next());
      while (*under_way == 0) std::this_thread::yield();
    }
    REQUIRE(*under_way == 0);
    REQUIRE(*reads <= taken + 6);
  }
}

TEST_CASE("a stream that makes no sense is refused", "[stream]") {
  const auto open = [](const Sequence& sequence, const StreamOptions& options) { ScanStream(sequence, options); };
  const Sequence ten = make_sequence(10);
  for (const StreamOptions& bad :
       {StreamOptions{.look_ahead = 0}, StreamOptions{.first = 10}, StreamOptions{.last = 10},
        StreamOptions{.last = std::numeric_limits<std::size_t>::max()}, StreamOptions{.first = 5, .last = 4}})
    REQUIRE_THROWS_AS(open(ten, bad), std::invalid_argument);
  REQUIRE_THROWS_AS(open(make_sequence(0), {.first = 1}), std::invalid_argument);
  Sequence without = ten;
  without.read = nullptr;
  REQUIRE_THROWS_AS(open(without, {}), std::invalid_argument);
  without = ten;
  without.times_s.pop_back();
  REQUIRE_THROWS_AS(open(without, {}), std::invalid_argument);
}
