#pragma once

#include <parte/planes.hpp>

#include <span>

namespace parte {

/// A symmetric 0/1 matrix, 64 entries a word.
class BitMatrix {
 public:
  BitMatrix() = default;
  explicit BitMatrix(std::size_t size) : size_(size), words_((size + 63) / 64), bits_(size * words_, 0) {}
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] std::span<const std::uint64_t> row(std::size_t i) const { return {bits_.data() + i * words_, words_}; }
  [[nodiscard]] std::span<std::uint64_t> row(std::size_t i) { return {bits_.data() + i * words_, words_}; }
  [[nodiscard]] bool test(std::size_t i, std::size_t j) const { return (row(i)[j / 64] >> (j % 64)) & 1u; }
  void connect(std::size_t i, std::size_t j) {
    row(i)[j / 64] |= std::uint64_t{1} << (j % 64);
    row(j)[i / 64] |= std::uint64_t{1} << (i % 64);
  }

 private:
  std::size_t size_ = 0, words_ = 0;
  std::vector<std::uint64_t> bits_;
};

struct CompatibilityOptions {
  double spatial_tolerance = 0.3;      ///< epsilon_p [m]; default 1 v
  double angular_tolerance_deg = 5.0;  ///< epsilon_theta [deg]
  void validate() const;               ///< throws std::invalid_argument naming the field
};

struct PointPair {
  Eigen::Vector3d source, target;  ///< p_i, q_i
};
/// A matched pair of planes with their centroids and normals.
struct PlanePair {
  Eigen::Vector3d source_centroid, source_normal, target_centroid, target_normal;  ///< mu, u on either side
  double weight = 1.0;                                                             ///< w_j
};

/// One node per correspondence, points first and planes after them, joined where the pair is consistent under some
/// rigid motion: eqs. (point-point-consistency), (plane-plane-consistency), (plane-point-consistency).
[[nodiscard]] BitMatrix compatibility_graph(std::span<const PointPair> points, std::span<const PlanePair> planes,
                                            const CompatibilityOptions& options);

}  // namespace parte
