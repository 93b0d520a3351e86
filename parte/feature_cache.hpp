#pragma once

#include <parte/registration.hpp>

#include <functional>
#include <list>
#include <memory>
#include <unordered_map>

namespace parte {

/// About how much memory the features of a scan take, with the descriptions that were made so far.
[[nodiscard]] std::size_t bytes_of(const Features& features);

/// Features of scans within a memory budget: those not used for longest go first and are made again when asked for.
/// For one thread at a time.
class FeatureCache {
 public:
  using Make = std::function<Features(std::size_t index)>;
  FeatureCache(std::size_t budget_bytes, Make make) : budget_(budget_bytes), make_(std::move(make)) {}
  FeatureCache(const FeatureCache&) = delete;  // it holds iterators into itself
  FeatureCache& operator=(const FeatureCache&) = delete;

  /// Valid for as long as the caller keeps it, even if the cache has let go of it.
  [[nodiscard]] std::shared_ptr<const Features> get(std::size_t index);
  /// Features that are known already.
  std::shared_ptr<const Features> put(std::size_t index, Features features);

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t misses() const { return misses_; }  ///< features that had to be made

 private:
  struct Entry {
    std::size_t index;
    std::shared_ptr<const Features> features;
  };
  void make_room();

  std::size_t budget_;
  Make make_;
  std::list<Entry> entries_;  // the last used one first
  std::unordered_map<std::size_t, std::list<Entry>::iterator> where_;
  std::size_t bytes_ = 0, misses_ = 0;
};

}  // namespace parte
