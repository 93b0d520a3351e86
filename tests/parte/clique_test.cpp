#include <parte/clique.hpp>

#include <tests/parte/graphs.hpp>

#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

namespace {

using namespace parte;
using namespace parte::testing;

CliqueOptions work_alone() {
  CliqueOptions options;
  options.time_limit_s = 1e6;  // so that slow machines and instrumented builds stop where fast ones do
  return options;
}

bool holds_all(const Clique& clique, const std::vector<Index>& vertices) {
  return std::includes(clique.vertices.begin(), clique.vertices.end(), vertices.begin(), vertices.end());
}

}  // namespace

TEST_CASE("the clique is the best of all subsets", "[clique][oracle]") {
  const double density = GENERATE(0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95);
  const int high = GENERATE(1, 3, 10, 2'000'000'000);
  Draw draw(static_cast<std::uint64_t>(1000 * density) + static_cast<std::uint64_t>(high));
  for (int trial = 0; trial < 200; ++trial) {
    const auto graph = random_graph(draw, static_cast<std::size_t>(draw.integer(1, 16)), density);
    const auto weights = random_weights(draw, graph.size(), high);
    const Clique clique = max_weight_clique(graph, weights);
    CAPTURE(density, high, trial, graph.size());
    REQUIRE(is_clique(graph, weights, clique));
    REQUIRE(clique.weight == best_of_all_subsets(graph, weights));
    REQUIRE(clique.proven_optimal);
  }
}

TEST_CASE("the clique is the best one where rows end inside, at and behind a word", "[clique][oracle]") {
  const std::size_t size = GENERATE(63u, 64u, 65u, 127u, 128u, 129u, 200u);
  const double density = GENERATE(0.1, 0.3, 0.5);
  Draw draw(size);
  for (int trial = 0; trial < 3; ++trial) {
    const auto graph = random_graph(draw, size, density);
    const auto weights = random_weights(draw, size, trial == 0 ? 1 : 10);
    const Clique clique = max_weight_clique(graph, weights, work_alone());
    CAPTURE(size, density, trial);
    REQUIRE(is_clique(graph, weights, clique));
    REQUIRE(clique.weight == best_by_growing(graph, weights));
    REQUIRE(clique.proven_optimal);
  }
}

TEST_CASE("graphs without edges give their heaviest vertex", "[clique]") {
  const Clique none = max_weight_clique(BitMatrix(0), std::vector<int>{});
  REQUIRE(none.vertices.empty());
  REQUIRE(none.weight == 0);
  REQUIRE(none.proven_optimal);
  const Clique one = max_weight_clique(BitMatrix(1), std::vector<int>{7});
  REQUIRE(one.vertices == std::vector<Index>{0});
  REQUIRE(one.weight == 7);
  std::vector<int> weights(130, 2);
  weights[129] = 5;
  const Clique last = max_weight_clique(BitMatrix(130), weights);
  REQUIRE(last.vertices == std::vector<Index>{129});
  REQUIRE(last.weight == 5);
  REQUIRE(last.proven_optimal);
}

TEST_CASE("a complete graph is its own clique, however heavy", "[clique]") {
  const std::size_t size = GENERATE(2u, 64u, 65u, 500u);
  const std::vector<int> weights(size, std::numeric_limits<int>::max());
  const Clique clique = max_weight_clique(complete_graph(size), weights);
  REQUIRE(clique.vertices.size() == size);
  REQUIRE(clique.weight == static_cast<std::int64_t>(size) * std::numeric_limits<int>::max());
  REQUIRE(clique.proven_optimal);
}

TEST_CASE("a complete multipartite graph gives the heaviest vertex of every part", "[clique]") {
  const int parts = GENERATE(2, 3, 10, 40);
  Draw draw(static_cast<std::uint64_t>(parts));
  std::vector<int> part_of(300), weights = random_weights(draw, 300, 100);
  std::vector<int> heaviest(static_cast<std::size_t>(parts), 0);
  for (std::size_t i = 0; i < part_of.size(); ++i) {
    part_of[i] = draw.integer(0, parts - 1);
    int& most = heaviest[static_cast<std::size_t>(part_of[i])];
    most = std::max(most, weights[i]);
  }
  const auto graph = complete_multipartite(part_of);
  const Clique clique = max_weight_clique(graph, weights);
  REQUIRE(is_clique(graph, weights, clique));
  REQUIRE(clique.weight == std::accumulate(heaviest.begin(), heaviest.end(), std::int64_t{0}));
  REQUIRE(clique.proven_optimal);
}

TEST_CASE("joined five-cycles, where colours promise more than there is, give an edge of each", "[clique]") {
  const std::size_t cycles = GENERATE(1u, 2u, 5u, 9u);
  const int high = GENERATE(1, 10);
  Draw draw(cycles);
  BitMatrix graph(5 * cycles);
  for (std::size_t i = 0; i < graph.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (const std::size_t step = i - j; i / 5 != j / 5 || step == 1 || step == 4) graph.connect(i, j);
  const auto weights = random_weights(draw, graph.size(), high);
  std::int64_t best = 0;
  for (std::size_t c = 0; c < cycles; ++c) {
    int edge = 0;
    for (std::size_t k = 0; k < 5; ++k) edge = std::max(edge, weights[5 * c + k] + weights[5 * c + (k + 1) % 5]);
    best += edge;
  }
  const Clique clique = max_weight_clique(graph, weights, work_alone());
  REQUIRE(is_clique(graph, weights, clique));
  REQUIRE(clique.weight == best);
  REQUIRE(clique.proven_optimal);
}

TEST_CASE("of disjoint cliques the heaviest wins, not the largest", "[clique]") {
  // Sizes 1..20; the clique of size 4 is made of heavy vertices.
  std::vector<int> part_of, weights;
  for (int size = 1; size <= 20; ++size)
    for (int k = 0; k < size; ++k) part_of.push_back(size), weights.push_back(size == 4 ? 10 : 1);
  Draw draw(1);
  std::vector<std::size_t> order(part_of.size());
  std::iota(order.begin(), order.end(), 0);
  draw.shuffle(order);
  BitMatrix graph(order.size());
  std::vector<int> shuffled(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    shuffled[i] = weights[order[i]];
    for (std::size_t j = 0; j < i; ++j)
      if (part_of[order[i]] == part_of[order[j]]) graph.connect(i, j);
  }
  const Clique clique = max_weight_clique(graph, shuffled);
  REQUIRE(is_clique(graph, shuffled, clique));
  REQUIRE(clique.weight == 40);

  // Greed starts from every vertex, so it finds each of the twenty.
  const auto all = alternative_cliques(graph, shuffled, 100);
  std::vector<std::int64_t> found;
  for (const Clique& c : all) found.push_back(c.weight);
  REQUIRE(found == std::vector<std::int64_t>{40, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 3, 2, 1});
}

TEST_CASE("a planted clique is found", "[clique]") {
  Draw draw(GENERATE(range(0u, 10u)));
  auto graph = random_graph(draw, 600, 0.3);
  std::vector<int> weights = random_weights(draw, 600, 3);
  std::set<Index> planted;
  while (planted.size() < 40) planted.insert(static_cast<Index>(draw.integer(0, 599)));
  for (const Index a : planted)
    for (const Index b : planted)
      if (a < b) graph.connect(a, b);
  const Clique clique = max_weight_clique(graph, weights, work_alone());
  REQUIRE(is_clique(graph, weights, clique));
  REQUIRE(clique.proven_optimal);
  REQUIRE(holds_all(clique, {planted.begin(), planted.end()}));
}

TEST_CASE("the inliers among 2,000 correspondences are found within the work allowed", "[clique]") {
  const double outliers = GENERATE(0.1, 0.5, 0.9, 0.99);
  Draw draw(GENERATE(1u, 2u, 3u));
  const PointProblem problem = point_problem(draw, 2000, outliers, 0.3, 25.0);
  const BitMatrix graph = compatibility_graph(problem.pairs, {}, {0.3, 5.0});
  const std::vector<int> weights(problem.pairs.size(), 1);
  const Clique clique = max_weight_clique(graph, weights, work_alone());
  CAPTURE(outliers, problem.inliers.size(), clique.vertices.size());
  REQUIRE(is_clique(graph, weights, clique));
  REQUIRE(clique.proven_optimal);
  REQUIRE(holds_all(clique, problem.inliers));
}

TEST_CASE("30,000 correspondences fit into 2 GB", "[clique][slow]") {
  Draw draw(4);
  const PointProblem problem = point_problem(draw, 30'000, 0.99, 0.3, 50.0);
  const BitMatrix graph = compatibility_graph(problem.pairs, {}, {0.3, 5.0});
  const std::vector<int> weights(problem.pairs.size(), 1);
  const Clique clique = max_weight_clique(graph, weights, work_alone());
  REQUIRE(is_clique(graph, weights, clique));
  REQUIRE(holds_all(clique, problem.inliers));
  REQUIRE(peak_memory_mb() > 100.0);  // the graph alone: 30,000^2 bits
  REQUIRE(peak_memory_mb() < 2000.0);
}

TEST_CASE("a search cut short still returns a clique, and says that it was cut short", "[clique]") {
  Draw draw(GENERATE(range(0u, 3u)));
  const auto graph = random_graph(draw, 400, 0.9);
  const auto weights = random_weights(draw, 400, 10);
  CliqueOptions options = work_alone();
  SECTION("no work") { options.max_work = 0; }
  SECTION("little work") { options.max_work = 1'000'000; }
  SECTION("no time") { options = {std::numeric_limits<std::int64_t>::max(), 0.0}; }
  const Clique clique = max_weight_clique(graph, weights, options);
  REQUIRE_FALSE(clique.vertices.empty());
  REQUIRE(is_clique(graph, weights, clique));
  REQUIRE_FALSE(clique.proven_optimal);
}

TEST_CASE("a limit in work stops every run at the same place", "[clique]") {
  Draw draw(9);
  const auto graph = random_graph(draw, 300, 0.9);
  const auto weights = random_weights(draw, 300, 10);
  CliqueOptions options = work_alone();
  options.max_work = GENERATE(0, 100'000, 3'000'000);
  const Clique first = max_weight_clique(graph, weights, options), second = max_weight_clique(graph, weights, options);
  REQUIRE(first.vertices == second.vertices);
  REQUIRE(first.proven_optimal == second.proven_optimal);
}

TEST_CASE("weights that are missing, too many or not positive are refused", "[clique]") {
  const BitMatrix graph = complete_graph(3);
  const std::vector<int> weights =
      GENERATE(std::vector<int>{}, std::vector<int>{1, 1}, std::vector<int>{1, 1, 1, 1}, std::vector<int>{1, 0, 1},
               std::vector<int>{1, 1, -1}, std::vector<int>{std::numeric_limits<int>::min(), 1, 1});
  REQUIRE_THROWS_AS(max_weight_clique(graph, weights), std::invalid_argument);
  REQUIRE_THROWS_AS(alternative_cliques(graph, weights, 3), std::invalid_argument);
}

TEST_CASE("alternatives are distinct cliques, heaviest first, as many as asked for at most", "[clique]") {
  Draw draw(GENERATE(range(0u, 20u)));
  const auto graph = random_graph(draw, 150, draw.uniform(0.05, 0.9));
  const auto weights = random_weights(draw, 150, 10);
  const std::size_t count = GENERATE(0u, 1u, 10u, 1000u);
  const auto cliques = alternative_cliques(graph, weights, count);
  REQUIRE(cliques.size() <= std::min<std::size_t>(count, 150));
  REQUIRE(cliques.empty() == (count == 0));
  std::set<std::vector<Index>> seen;
  for (std::size_t i = 0; i < cliques.size(); ++i) {
    REQUIRE(is_clique(graph, weights, cliques[i]));
    REQUIRE(seen.insert(cliques[i].vertices).second);
    if (i > 0) REQUIRE(cliques[i].weight <= cliques[i - 1].weight);
  }
}
