#include <parte/matching.hpp>
#include <parte/tile_distances.hpp>

#include <tests/parte/clouds.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace parte {
namespace {

using clouds::Engine;
using clouds::uniform;
using Eigen::MatrixXd;

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Squared distances of descriptors; infinite from and to zero rows.
MatrixXd descriptor_distances(const FpfhMatrix& source, const FpfhMatrix& target) {
  MatrixXd d = MatrixXd::Constant(source.rows(), target.rows(), kInf);
  for (Eigen::Index i = 0; i < source.rows(); ++i)
    for (Eigen::Index j = 0; j < target.rows(); ++j)
      if (!source.row(i).isZero(0.0f) && !target.row(j).isZero(0.0f))
        d(i, j) = (source.row(i).cast<double>() - target.row(j).cast<double>()).squaredNorm();
  return d;
}

/// Mutual minima, the first among equals.
std::vector<Match> mutual_minima(const MatrixXd& d) {
  std::vector<Match> matches;
  for (Eigen::Index i = 0; i < d.rows() && d.cols() > 0; ++i) {
    Eigen::Index j = 0, back = 0;
    for (Eigen::Index k = 1; k < d.cols(); ++k)
      if (d(i, k) < d(i, j)) j = k;
    for (Eigen::Index k = 1; k < d.rows(); ++k)
      if (d(k, j) < d(back, j)) back = k;
    if (back == i && d(i, j) < kInf) matches.push_back({static_cast<Index>(i), static_cast<Index>(j)});
  }
  return matches;
}

/// Small whole numbers: every distance is exact in single precision, and many are equal.
FpfhMatrix whole_numbers(Eigen::Index rows, int values, Engine& engine) {
  FpfhMatrix m(rows, kFpfhSize);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (int k = 0; k < kFpfhSize; ++k)
      m(i, k) = i % 7 == 3 ? 0.0f : static_cast<float>(std::floor(uniform(engine, 0.0, values)));
  return m;
}

/// Three histograms that sum to 100 each, a few bins large, as FPFH's are.
FpfhMatrix histograms(Eigen::Index rows, Engine& engine) {
  FpfhMatrix m(rows, kFpfhSize);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (int k = 0; k < 3; ++k) {
      auto part = m.row(i).segment(k * kFpfhBins, kFpfhBins);
      for (int b = 0; b < kFpfhBins; ++b) part[b] = static_cast<float>(std::pow(uniform(engine, 0.0, 1.0), 8.0));
      part *= 100.0f / part.sum();
    }
  return m;
}

/// All weight in bin `first`, but for the share that goes to bin `second`.
Pch two_bins(int first, int second, double share, double total = 100.0) {
  Pch h{};
  h[first] += (1.0 - share) * total;
  h[second] += share * total;
  return h;
}

/// Patches, each with its own descriptors; every one on a plane of its own unless groups are given.
PlaneFeatures features(std::vector<Pch> context, std::vector<Pch> box_context = {},
                       std::vector<std::vector<Index>> groups = {}) {
  PlaneFeatures planes;
  planes.patches.resize(context.size());
  planes.box_context = box_context.empty() ? context : std::move(box_context);
  for (Index i = 0; groups.empty() && i < context.size(); ++i) planes.groups.push_back({i});
  if (!groups.empty()) planes.groups = std::move(groups);
  planes.context = std::move(context);
  return planes;
}

MatrixXd chi2_distances(const std::vector<Pch>& source, const std::vector<Pch>& target) {
  MatrixXd d(source.size(), target.size());
  for (std::size_t i = 0; i < source.size(); ++i)
    for (std::size_t j = 0; j < target.size(); ++j) {
      const double a = std::accumulate(source[i].begin(), source[i].end(), 0.0);
      const double b = std::accumulate(target[j].begin(), target[j].end(), 0.0);
      double sum = 0.0;
      for (int k = 0; k < kPchSize; ++k) {
        const double h = source[i][k] / a, g = target[j][k] / b;
        if (h + g > 0.0) sum += (h - g) * (h - g) / (h + g);
      }
      d(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = sum;
    }
  return d;
}

/// Eq. (plane-match-confidence) of the match (i, j); without a second candidate the ratio is 0.
double confidence_of(MatrixXd d, Eigen::Index i, Eigen::Index j) {
  const double best = d(i, j);
  d(i, j) = kInf;
  return std::sqrt((1.0 - best / d.row(i).minCoeff()) * (1.0 - best / d.col(j).minCoeff()));
}

void check_matches(const std::vector<PlaneMatch>& found, const MatrixXd& distances) {
  const auto expected = mutual_minima(distances);
  REQUIRE(found.size() == expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    REQUIRE(static_cast<const Match&>(found[k]) == expected[k]);
    REQUIRE(std::abs(found[k].confidence - confidence_of(distances, expected[k].source, expected[k].target)) < 1e-9);
  }
}

Pch random_context(Engine& engine) {
  Pch h{};
  for (int k = 0; k < 300; ++k) h[static_cast<int>(std::pow(uniform(engine, 0.0, 1.0), 2.0) * kPchSize)] += 1.0;
  return h;
}

}  // namespace

TEST_CASE("every kernel has the distances of a tile, or dismisses it where none is within its limit",
          "[matching][oracle]") {
  using namespace detail;
  const TileKernel kernel =
      GENERATE(TileKernel{tile_distances_portable}, tile_kernel_avx2(), TileKernel{tile_distances});
  if (kernel == nullptr) SKIP("this machine has no AVX2");
  constexpr std::size_t kSize = kDescriptorSize;
  Engine engine(5);
  int dismissed = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<float> tile(kLanes * kSize), queries(kQueries * kSize), limits(kQueries);
    for (float& x : tile) x = static_cast<float>(uniform(engine, 0.0, 10.0));
    for (float& x : queries) x = static_cast<float>(uniform(engine, 0.0, 10.0));
    for (float& x : limits) x = static_cast<float>(uniform(engine, 100.0, 400.0));
    std::vector<double> all(kQueries * kLanes);
    bool within = false;
    for (std::size_t q = 0; q < kQueries; ++q)
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        double& sum = all[q * kLanes + lane];
        for (std::size_t k = 0; k < kSize; ++k)
          sum += std::pow(static_cast<double>(tile[k * kLanes + lane]) - queries[q * kSize + k], 2);
        REQUIRE(std::abs(sum - limits[q]) > 1e-3);  // so that rounding decides nothing
        within = within || sum <= limits[q];
      }
    std::vector<float> distances(kQueries * kLanes, -1.0f);
    const bool found =
        kernel(tile.data(), tile.data() + kFirst * kLanes, queries.data(), limits.data(), distances.data());
    REQUIRE(found == within);
    dismissed += found ? 0 : 1;
    for (std::size_t i = 0; i < distances.size(); ++i) REQUIRE(std::abs(distances[i] - (found ? all[i] : -1.0)) < 1e-3);
  }
}

TEST_CASE("point matches are those of a brute-force search, ties included", "[matching][oracle]") {
  const Eigen::Index rows = GENERATE(0, 1, 15, 16, 17, 1000), columns = GENERATE(0, 1, 15, 16, 17, 1000);
  const int values = GENERATE(2, 12);
  Engine engine(rows * 7919 + columns * 31 + values);
  FpfhMatrix source = whole_numbers(rows, values, engine), target = whole_numbers(columns, values, engine);
  for (Eigen::Index j = 0; j < columns; j += 5) {  // twins among the targets, and between both sides
    if (j > 0) target.row(j) = target.row(j - 1);
    if (j < rows) source.row(j) = target.row(j);
  }
  REQUIRE((match_points(source, target) == mutual_minima(descriptor_distances(source, target))));
}

TEST_CASE("point matches of histograms are those of a brute-force search", "[matching][oracle]") {
  Engine engine(GENERATE(1u, 2u, 3u));
  const FpfhMatrix source = histograms(700, engine), target = histograms(900, engine);
  const auto expected = mutual_minima(descriptor_distances(source, target));
  REQUIRE(expected.size() > 100);
  REQUIRE((match_points(source, target) == expected));
}

TEST_CASE("clusters, copies and rows far from all others change nothing", "[matching][oracle]") {
  Engine engine(GENERATE(6u, 7u, 8u));
  const FpfhMatrix centers = histograms(8, engine);
  const auto clustered = [&](Eigen::Index rows, float spread) {
    FpfhMatrix m = spread * histograms(rows, engine);
    for (Eigen::Index i = 0; i < rows; ++i) m.row(i) += centers.row(static_cast<Eigen::Index>(engine() % 8));
    for (Eigen::Index i = 0; i < rows; i += 5) m.row(i) = m.row(static_cast<Eigen::Index>(engine() % rows));
    for (Eigen::Index i = 3; i < rows; i += 97) m.row(i) *= 50.0f;
    for (Eigen::Index i = 4; i < rows; i += 41) m.row(i).setZero();
    return m;
  };
  const float spread = GENERATE(0.3f, 1e-3f);
  FpfhMatrix source = clustered(531, spread), target = clustered(1003, spread);
  for (Eigen::Index i = 0; i < 60; ++i) target.row(7 * i) = source.row(8 * i);
  const auto expected = mutual_minima(descriptor_distances(source, target));
  REQUIRE(expected.size() > 60);
  REQUIRE((match_points(source, target) == expected));
  REQUIRE((match_points(target, source).size() == expected.size()));
}

TEST_CASE("an exact copy is a better match than a near one", "[matching]") {
  Engine engine(4);
  FpfhMatrix source = histograms(40, engine), target = histograms(80, engine);
  const float difference = GENERATE(1.0f, 0.1f, 0.01f);
  for (Eigen::Index i = 0; i < 40; ++i) {
    target.row(2 * i) = source.row(i);
    target(2 * i, i % kFpfhSize) += difference;
    target.row(2 * i + 1) = source.row(i);
  }
  REQUIRE((match_points(source, target) == mutual_minima(descriptor_distances(source, target))));
}

TEST_CASE("point matches do not depend on the number of threads", "[matching]") {
  Engine engine(5);
  const FpfhMatrix source = histograms(2500, engine), target = histograms(3100, engine);
  const auto match = [&] { return match_points(source, target); };
  const auto expected = tbb::task_arena(1).execute(match);
  REQUIRE(expected.size() > 100);
  for (const int threads : {2, 3, 8}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    REQUIRE((tbb::task_arena(threads).execute(match) == expected));
  }
}

TEST_CASE("plane matches and confidences follow the definition", "[matching][oracle]") {
  Engine engine(GENERATE(range(0u, 30u)));
  std::vector<Pch> source(engine() % 9 + 1), target(engine() % 9 + 1);
  for (auto& h : source) h = random_context(engine);
  for (auto& h : target) h = random_context(engine);
  for (auto& x : source[0]) x *= 7.0;  // more points, the same distribution
  const auto mode = GENERATE(PlaneMatching::one_level, PlaneMatching::two_level);
  check_matches(match_planes(features(source), features(target), mode), chi2_distances(source, target));
}

TEST_CASE("of matches that are neighbours at both ends the best one stays", "[matching][oracle]") {
  Engine engine(GENERATE(range(0u, 5u)));
  PointCloud source, target;
  source.points = clouds::uniform_points(400, 3.0, engine), target.points = clouds::uniform_points(300, 3.0, engine);
  std::vector<Match> matches;
  std::vector<float> distances;
  for (int k = 0; k < 1500; ++k) {
    matches.push_back({static_cast<Index>(engine() % 400), static_cast<Index>(engine() % 300)});
    distances.push_back(static_cast<float>(engine() % 50));  // many are equal
  }
  constexpr double kSpacing = 1.2;
  const auto near = [&](const Match& a, const Match& b) {
    return (source.at(a.source) - source.at(b.source)).norm() < kSpacing &&
           (target.at(a.target) - target.at(b.target)).norm() < kSpacing;
  };
  // Whoever is left when every better neighbour that is left has had its say: one after the other, the best first.
  std::vector<std::size_t> order(matches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return std::pair(distances[a], a) < std::pair(distances[b], b); });
  std::vector<bool> kept(matches.size(), true);
  for (std::size_t k = 0; k < order.size(); ++k)
    for (std::size_t better = 0; better < k; ++better)
      if (kept[order[better]] && near(matches[order[k]], matches[order[better]])) kept[order[k]] = false;
  std::vector<Match> expected;
  for (std::size_t k = 0; k < matches.size(); ++k)
    if (kept[k]) expected.push_back(matches[k]);
  REQUIRE(expected.size() < matches.size() - 100);
  REQUIRE(spaced_matches(matches, distances, source, target, kSpacing) == expected);
  REQUIRE(spaced_matches({}, {}, source, target, kSpacing).empty());
}

TEST_CASE("the confidence of a hand-made match", "[matching]") {
  const auto mode = GENERATE(PlaneMatching::one_level, PlaneMatching::two_level);
  // chi2 of (1, 0) and (1 - s, s) is s^2 / (2 - s) + s = 2 s / (2 - s): 2/19 for s = 0.1, 2/3 for s = 0.5.
  const auto two =
      match_planes(features({two_bins(0, 1, 0.0)}), features({two_bins(0, 1, 0.5), two_bins(0, 1, 0.1, 7.0)}), mode);
  REQUIRE(two.size() == 1);
  REQUIRE(static_cast<const Match&>(two[0]) == Match{0, 1});
  REQUIRE(std::abs(two[0].confidence - std::sqrt(1.0 - (2.0 / 19.0) / (2.0 / 3.0))) < 1e-12);

  const auto single = match_planes(features({two_bins(0, 1, 0.0)}), features({two_bins(0, 1, 0.9)}), mode);
  REQUIRE(single.size() == 1);
  REQUIRE(single[0].confidence == 1.0);  // no second candidate, no doubt

  const auto twins =
      match_planes(features({two_bins(0, 1, 0.2)}), features({two_bins(0, 1, 0.2), two_bins(0, 1, 0.2)}), mode);
  REQUIRE(twins.size() <= 1);
  for (const auto& m : twins) REQUIRE(m.confidence == 0.0);  // nothing to choose between them

  REQUIRE(match_planes(features({}), features({two_bins(0, 1, 0.2)}), mode).empty());
  REQUIRE(match_planes(features({two_bins(0, 1, 0.2)}), features({}), mode).empty());
}

TEST_CASE("patches of one plane are told apart by what is above and below them", "[matching]") {
  // Source: patches 0 and 2 on one plane, 1 on another. Target: 1 and 2 on the first plane, 0 on the other.
  const Pch plane = two_bins(0, 1, 0.3), plane_again = two_bins(0, 1, 0.35);
  const Pch other = two_bins(8, 9, 0.3), other_again = two_bins(8, 9, 0.4);
  // Boxes do not choose between planes: by them, source 1 would go to the target's first plane.
  const std::vector<Pch> boxes{two_bins(20, 21, 0.0), two_bins(20, 21, 0.575), two_bins(20, 21, 0.9)};
  const std::vector<Pch> boxes_again{other_again, two_bins(20, 21, 0.95), two_bins(20, 21, 0.2)};
  const auto source = features({plane, other, plane}, boxes, {{0, 2}, {1}});
  const auto target = features({other_again, plane_again, plane_again}, boxes_again, {{0}, {1, 2}});

  const auto found = match_planes(source, target, PlaneMatching::two_level);
  REQUIRE(found.size() == 3);
  REQUIRE(static_cast<const Match&>(found[0]) == Match{0, 2});
  REQUIRE(static_cast<const Match&>(found[1]) == Match{1, 0});
  REQUIRE(static_cast<const Match&>(found[2]) == Match{2, 1});
  const MatrixXd inner = chi2_distances({boxes[0], boxes[2]}, {boxes_again[1], boxes_again[2]});
  const MatrixXd outer = chi2_distances({plane, other}, {other_again, plane_again});
  const double of_plane = confidence_of(outer, 0, 1);
  REQUIRE(std::abs(found[0].confidence - std::min(of_plane, confidence_of(inner, 0, 1))) < 1e-12);
  REQUIRE(std::abs(found[2].confidence - std::min(of_plane, confidence_of(inner, 1, 0))) < 1e-12);
  REQUIRE(std::abs(found[1].confidence - confidence_of(outer, 1, 0)) < 1e-12);

  // By their own descriptors alone they are twins: a match among them is worth nothing.
  for (const auto& m : match_planes(source, target, PlaneMatching::one_level))
    REQUIRE((m.source == 1 ? m == found[1] && m.confidence > 0.9 : m.confidence == 0.0));
}

TEST_CASE("a patch is no surer than its plane", "[matching]") {
  // Two planes that look nearly the same, each in two pieces that look different.
  const std::vector<Pch> planes{two_bins(0, 1, 0.30), two_bins(0, 1, 0.30), two_bins(0, 1, 0.33), two_bins(0, 1, 0.33)};
  const std::vector<Pch> boxes{two_bins(20, 21, 0.0), two_bins(40, 41, 0.0), two_bins(60, 61, 0.0),
                               two_bins(80, 81, 0.0)};
  const auto either = features(planes, boxes, {{0, 1}, {2, 3}});
  auto blurred = either;
  for (const std::size_t k : {0, 1}) blurred.context[k] = two_bins(0, 1, 0.31);
  const auto found = match_planes(either, blurred, PlaneMatching::two_level);
  REQUIRE(found.size() == 4);
  const MatrixXd outer = chi2_distances({planes[0], planes[2]}, {blurred.context[0], planes[2]});
  REQUIRE(confidence_of(outer, 0, 0) < 0.9);
  for (const Index k : {0, 1}) REQUIRE(std::abs(found[k].confidence - confidence_of(outer, 0, 0)) < 1e-12);
}

TEST_CASE("a plane in one piece matches its nearest piece on the other side", "[matching]") {
  const Pch plane = two_bins(0, 1, 0.3);
  const std::vector<Pch> whole{two_bins(20, 21, 0.2)}, pieces{two_bins(20, 21, 0.7), two_bins(20, 21, 0.3)};
  const auto found = match_planes(features({plane}, whole, {{0}}), features({plane, plane}, pieces, {{0, 1}}),
                                  PlaneMatching::two_level);
  check_matches(found, chi2_distances(whole, pieces));
  REQUIRE(static_cast<const Match&>(found.at(0)) == Match{0, 1});
}

TEST_CASE("a pair of patches within a limit is so at both levels", "[matching][oracle]") {
  Engine engine(GENERATE(range(0u, 10u)));
  const auto contexts = [&](std::size_t count) {
    std::vector<Pch> all(count);
    for (auto& h : all) h = random_context(engine);
    return all;
  };
  const auto a = contexts(4), a_boxes = contexts(4), b = contexts(3), b_boxes = contexts(3);
  const auto source = features(a, a_boxes, {{0, 2}, {1}, {3}}), target = features(b, b_boxes, {{0}, {1, 2}});
  const auto sum = [](Pch h, const Pch& g) {
    for (int k = 0; k < kPchSize; ++k) h[k] += g[k];
    return h;
  };
  const MatrixXd planes = chi2_distances({sum(a[0], a[2]), a[1], a[3]}, {b[0], sum(b[1], b[2])});
  const MatrixXd boxes = chi2_distances(a_boxes, b_boxes);
  const MatrixXd found = plane_distances(source, target, PlaneMatching::two_level);
  const int source_plane[] = {0, 1, 0, 2}, target_plane[] = {0, 1, 1};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) {
      const double plane = planes(source_plane[i], target_plane[j]);
      const bool whole = (i == 1 || i == 3) && j == 0;  // in one piece on both sides: boxes do not count
      REQUIRE(std::abs(found(i, j) - (whole ? plane : std::max(plane, boxes(i, j)))) < 1e-12);
    }
  REQUIRE((plane_distances(source, target, PlaneMatching::one_level) - chi2_distances(a, b)).cwiseAbs().maxCoeff() <
          1e-12);
}

}  // namespace parte
