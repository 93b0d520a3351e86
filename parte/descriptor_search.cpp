#include <parte/descriptor_search.hpp>

#include <parte/simd.hpp>
#include <parte/tile_distances.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace parte::detail {
namespace {

constexpr std::size_t kSize = kDescriptorSize;

double squared_distance(const float* a, const float* b) {
  double sums[3] = {};  // they need not wait for each other
  for (std::size_t k = 0; k < kSize; k += 3)
    for (std::size_t s = 0; s < 3; ++s) {
      const double d = static_cast<double>(a[k + s]) - b[k + s];
      sums[s] += d * d;
    }
  return sums[0] + sums[1] + sums[2];
}

/// Sorts rows so that every run of kLanes is alike: halves them along the coordinate that varies most, and so on.
void sort_by_likeness(const DescriptorMatrix& rows, std::int32_t* begin, std::int32_t* end) {
  const auto count = static_cast<std::size_t>(end - begin);
  if (count <= kLanes) return;
  const std::size_t step = std::max<std::size_t>(1, count / 64);
  Eigen::Array<float, 1, kFirst> sum, squares;
  sum.setZero(), squares.setZero();
  for (std::size_t k = 0; k < count; k += step) {
    const auto x = rows.row(begin[k]).head<kFirst>().array();
    sum += x, squares += x * x;
  }
  Eigen::Index axis = 0;
  (squares - sum * sum / static_cast<float>((count + step - 1) / step)).maxCoeff(&axis);
  std::vector<std::pair<float, std::int32_t>> keyed(count);
  for (std::size_t k = 0; k < count; ++k) keyed[k] = {rows(begin[k], axis), begin[k]};
  const std::size_t half = (count / 2 + kLanes - 1) / kLanes * kLanes;
  std::nth_element(keyed.begin(), keyed.begin() + static_cast<std::ptrdiff_t>(half), keyed.end());
  for (std::size_t k = 0; k < count; ++k) begin[k] = keyed[k].second;
  sort_by_likeness(rows, begin, begin + half);
  sort_by_likeness(rows, begin + half, end);
}

/// Squared distances between the box from `from` to `to` and all boxes, as far as the first coordinates tell.
PARTE_SIMD_CLONES
void box_distances(const float* low, const float* high, std::size_t count, const float* from, const float* to,
                   float* distances) {
  for (std::size_t t = 0; t < count; ++t) distances[t] = 0.0f;
  for (std::size_t k = 0; k < kFirst; ++k)
    for (std::size_t t = 0; t < count; ++t) {
      const float above = low[k * count + t] - to[k], below = from[k] - high[k * count + t];
      const float gap = above > below ? above : below;
      distances[t] += gap > 0.0f ? gap * gap : 0.0f;
    }
}

}  // namespace

/// A few rows that are searched for together.
struct SearchRows::Block {
  const float* rows[kQueries];     // as they are
  float turned[kQueries * kSize];  // along the common axes
  float from[kFirst], to[kFirst];  // box around them
  float limits[kQueries];          // what is farther [squared] is surely not the nearest
  float largest_limit;
  Nearest* nearest[kQueries];
  double slack;  // rounding of distances along the common axes

  void update(std::size_t q) {
    const double limit = std::sqrt(nearest[q]->squared_distance) + slack;
    limits[q] = static_cast<float>(limit * limit);
    largest_limit = *std::max_element(limits, limits + kQueries);
  }
  void make_box() {
    for (std::size_t k = 0; k < kFirst; ++k) {
      from[k] = to[k] = turned[k];
      for (std::size_t q = 1; q < kQueries; ++q) {
        from[k] = std::min(from[k], turned[q * kSize + k]);
        to[k] = std::max(to[k], turned[q * kSize + k]);
      }
    }
  }
};

DescriptorAxes principal_axes(const DescriptorMatrix& rows) {
  const Eigen::Index step = std::max<Eigen::Index>(1, rows.rows() / 1000);
  Eigen::Matrix<double, Eigen::Dynamic, kDescriptorSize> sample((rows.rows() + step - 1) / step, kDescriptorSize);
  for (Eigen::Index i = 0; i < sample.rows(); ++i) sample.row(i) = rows.row(i * step).cast<double>();
  sample.rowwise() -= sample.colwise().mean().eval();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, kDescriptorSize, kDescriptorSize>> solver(
      sample.transpose() * sample);
  return solver.eigenvectors().rowwise().reverse().cast<float>();
}

SearchRows::SearchRows(const DescriptorMatrix& rows, const DescriptorAxes& axes) : rows_(rows), turned_(rows * axes) {
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    if (const float norm = rows.row(i).norm(); norm > 0.0f) {
      largest_norm_ = std::max(largest_norm_, norm);
      order_.push_back(static_cast<std::int32_t>(i));
    }
  sort_by_likeness(turned_, order_.data(), order_.data() + order_.size());
  make_tiles();
}

void SearchRows::make_tiles() {
  tile_count_ = (order_.size() + kLanes - 1) / kLanes;
  first_.resize(tile_count_ * kLanes * kFirst);
  rest_.resize(tile_count_ * kLanes * (kSize - kFirst));
  low_.assign(tile_count_ * kFirst, std::numeric_limits<float>::max());
  high_.assign(tile_count_ * kFirst, std::numeric_limits<float>::lowest());
  for (std::size_t n = 0; n < tile_count_ * kLanes; ++n) {
    const float* row = turned_.row(order_[std::min(n, order_.size() - 1)]).data();  // the last one fills its tile
    const std::size_t t = n / kLanes, lane = n % kLanes;
    for (std::size_t k = 0; k < kFirst; ++k) {
      first_[(t * kFirst + k) * kLanes + lane] = row[k];
      float &low = low_[k * tile_count_ + t], &high = high_[k * tile_count_ + t];
      low = std::min(low, row[k]), high = std::max(high, row[k]);
    }
    for (std::size_t k = kFirst; k < kSize; ++k) rest_[(t * (kSize - kFirst) + k - kFirst) * kLanes + lane] = row[k];
  }
}

void SearchRows::compare(Block& block, std::size_t tile) const {
  float distances[kQueries * kLanes];
  if (!tile_distances(first_.data() + tile * kLanes * kFirst, rest_.data() + tile * kLanes * (kSize - kFirst),
                      block.turned, block.limits, distances))
    return;
  for (std::size_t q = 0; q < kQueries; ++q)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      if (distances[q * kLanes + lane] <= block.limits[q]) {
        const std::int32_t row = order_[std::min(tile * kLanes + lane, order_.size() - 1)];
        block.nearest[q]->offer(squared_distance(block.rows[q], rows_.row(row).data()), row);
        block.update(q);
      }
}

void SearchRows::search(Block& block, std::vector<float>& bounds) const {
  bounds.resize(tile_count_);
  box_distances(low_.data(), high_.data(), tile_count_, block.from, block.to, bounds.data());
  const auto first = static_cast<std::size_t>(std::min_element(bounds.begin(), bounds.end()) - bounds.begin());
  for (std::size_t n = 0; n < tile_count_;
       ++n) {  // those after the nearest one are alike, which lowers the limits soon
    const std::size_t t = first + n < tile_count_ ? first + n : first + n - tile_count_;
    if (bounds[t] <= block.largest_limit) compare(block, t);
  }
}

void SearchRows::find_nearest(std::span<const std::int32_t> queries, const SearchRows& among,
                              std::span<Nearest> nearest) const {
  if (queries.empty() || among.order_.empty()) return;
  const std::size_t blocks = (queries.size() + kQueries - 1) / kQueries;
  // A turned row is off by less than 3e-6 of its norm, a sum of 36 squares by 2e-6 of itself.
  const double slack = 2e-5 * std::max(largest_norm_, among.largest_norm_);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, blocks, 16), [&](const auto& range) {
    std::vector<float> bounds;
    for (std::size_t b = range.begin(); b != range.end(); ++b) {
      Block block{};
      block.slack = slack;
      for (std::size_t q = 0; q < kQueries; ++q) {
        const std::int32_t row = queries[std::min(b * kQueries + q, queries.size() - 1)];  // the last one fills up
        block.rows[q] = rows_.row(row).data();
        block.nearest[q] = &nearest[static_cast<std::size_t>(row)];
        std::copy_n(turned_.row(row).data(), kSize, block.turned + q * kSize);
        block.update(q);
      }
      block.make_box();
      among.search(block, bounds);
    }
  });
}

}  // namespace parte::detail
