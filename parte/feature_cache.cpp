#include <parte/feature_cache.hpp>

namespace parte {

std::size_t bytes_of(const Features& f) {
  const auto size = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
  std::size_t bytes = sizeof(Features) + size(f.cloud.points) + size(f.cloud.normals) + size(f.cloud.on_line) +
                      size(f.cloud.counts) + size(f.cloud.heights) + size(f.cloud.roughness) + f.ground.capacity() / 8;
  if (f.coarse) bytes += bytes_of(*f.coarse);
  if (const Description* d = f.description_if_made()) {
    bytes +=
        size(d->point_indices) + static_cast<std::size_t>(d->descriptors.size() + d->upright.size()) * sizeof(float);
    for (const PlanarPatch& patch : d->planes.patches) bytes += sizeof(PlanarPatch) + size(patch.indices);
  }
  bytes += size(f.surfaces.samples) + size(f.surfaces.free_range) + size(f.surfaces.surfels.points) +
           size(f.surfaces.surfels.normals) + size(f.surfaces.surfels.roughness) + size(f.surfaces.surfels.others) +
           size(f.surfaces.surfels.ground);
  const NeighborGrid& grid = f.surfaces.grid;
  for (int k = 0; k < 3; ++k) bytes += size(grid.axis(k));
  return bytes + 4 * size(grid.order());  // its table of cells is about three times as large as the order
}

std::shared_ptr<const Features> FeatureCache::get(std::size_t index) {
  const auto found = where_.find(index);
  if (found == where_.end()) {
    ++misses_;
    return put(index, make_(index));
  }
  entries_.splice(entries_.begin(), entries_, found->second);
  make_room();
  return entries_.front().features;
}

std::shared_ptr<const Features> FeatureCache::put(std::size_t index, Features features) {
  if (const auto found = where_.find(index); found != where_.end()) entries_.erase(found->second);
  entries_.push_front({index, std::make_shared<const Features>(std::move(features))});
  where_[index] = entries_.begin();
  make_room();
  return entries_.front().features;
}

/// Whatever was described since the last time counts as well.
void FeatureCache::make_room() {
  bytes_ = 0;
  for (const Entry& entry : entries_) bytes_ += bytes_of(*entry.features);
  while (bytes_ > budget_ && entries_.size() > 1) {
    bytes_ -= bytes_of(*entries_.back().features);
    where_.erase(entries_.back().index);
    entries_.pop_back();
  }
}

}  // namespace parte
