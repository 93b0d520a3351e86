#include <apps/eval_plane_table.hpp>

#include <apps/csv.hpp>

#include <stdexcept>

#include <nlohmann/json.hpp>

namespace parte::apps {
namespace {

using Json = nlohmann::ordered_json;

PlaneDescriptor descriptor_named(const std::string& name) {
  for (const PlaneDescriptor d : kPlaneDescriptors)
    if (name == to_string(d)) return d;
  throw std::invalid_argument("there is no plane descriptor " + datasets::quoted(name));
}

std::string two_digits(double value) { return with_digits(value, 2); }

}  // namespace

std::string plane_lines(const EvalPair& pair, const Features& source, const Features& target, double voxel) {
  const SamePlanes same = same_planes(source, target, pair.T_target_source, voxel);
  std::string lines;
  for (const PlaneDescriptor descriptor : kPlaneDescriptors) {
    Json candidates = Json::array();
    for (const PlaneCandidate& c : tally_planes(source, target, same, descriptor).candidates)
      candidates.push_back({c.distance, c.confidence, int{c.matched}, int{c.right}});
    const Json line = {{"pair", pair.number}, {"method", to_string(descriptor)}, {"candidates", candidates}};
    lines.append(line.dump()).append("\n");
  }
  return lines;
}

std::map<PlaneDescriptor, PlaneTally> parse_plane_lines(std::span<const std::string> lines) {
  std::map<PlaneDescriptor, PlaneTally> tallies;
  for (std::size_t k = 0; k < lines.size(); ++k) try {
      const Json json = Json::parse(lines[k]);
      PlaneTally& tally = tallies[descriptor_named(json.at("method"))];
      ++tally.pairs;
      for (const Json& c : json.at("candidates"))
        tally.candidates.push_back({c.at(0).get<double>(), c.at(1).get<double>(), c.at(2) == 1, c.at(3) == 1});
    } catch (const std::exception& error) {
      throw std::invalid_argument("line " + std::to_string(k + 1) + " is not a result of --planes (" + error.what() +
                                  ")");
    }
  return tallies;
}

TitledTable plane_table(const std::map<PlaneDescriptor, PlaneTally>& tallies,
                        std::span<const PublishedPlanes> published) {
  TextTable table;
  table.add({"descriptor", "F1", "AP", "mean TP", "precision", "recall"});
  for (const auto& [descriptor, tally] : tallies) {
    const PlaneScores s = scores(tally);
    table.add({std::string(to_string(descriptor)), two_digits(s.f1), two_digits(s.average_precision),
               two_digits(s.mean_true_positives), two_digits(s.precision), two_digits(s.recall)});
  }
  for (const PublishedPlanes& p : published)
    table.add({p.method + " *", two_digits(p.f1), two_digits(p.average_precision), two_digits(p.mean_true_positives)});
  return {"Matching of planes", std::move(table),
          published.empty() ? "" : "* published (PARTE paper), not measured here"};
}

std::string planes_csv(const std::map<PlaneDescriptor, PlaneTally>& tallies) {
  Csv csv("descriptor,pairs,f1,average_precision,mean_true_positives,precision,recall\n");
  for (const auto& [descriptor, tally] : tallies) {
    const PlaneScores s = scores(tally);
    csv << to_string(descriptor) << tally.pairs << s.f1 << s.average_precision << s.mean_true_positives << s.precision
        << s.recall;
    csv.end_line();
  }
  return csv.text();
}

}  // namespace parte::apps
