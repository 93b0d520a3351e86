#pragma once

#include <apps/eval_benchmark.hpp>
#include <apps/eval_planes.hpp>
#include <apps/text_table.hpp>

#include <map>
#include <span>
#include <string>

namespace parte::apps {

/// What the paper reports of a descriptor.
struct PublishedPlanes {
  std::string method;
  double f1, average_precision, mean_true_positives;
};
/// The rows of the paper for a benchmark; none for others than its own.
[[nodiscard]] std::vector<PublishedPlanes> published_planes(const std::string& benchmark);

/// The candidates of one scan pair by each descriptor: a line of JSON each.
[[nodiscard]] std::string plane_lines(const EvalPair& pair, const Features& source, const Features& target,
                                      double voxel);

/// All candidates by descriptor. Throws std::invalid_argument naming the line that cannot be read, counted from 1.
[[nodiscard]] std::map<PlaneDescriptor, PlaneTally> parse_plane_lines(std::span<const std::string> lines);

/// For people; and as comma-separated values.
[[nodiscard]] TitledTable plane_table(const std::map<PlaneDescriptor, PlaneTally>& tallies,
                                      std::span<const PublishedPlanes> published);
[[nodiscard]] std::string planes_csv(const std::map<PlaneDescriptor, PlaneTally>& tallies);

}  // namespace parte::apps
