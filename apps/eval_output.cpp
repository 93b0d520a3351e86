#include <apps/eval_output.hpp>

#include <apps/eval_report.hpp>
#include <apps/html_report.hpp>
#include <datasets/file.hpp>
#include <datasets/io_error.hpp>

#include <map>
#include <stdexcept>

namespace parte::apps {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// "KITTI-LC: 3325 pairs, voxel 0.3 m; right: within 2 m and 5 deg".
std::string head(const Json& settings) {
  const auto text = [](const Json& number) { return number.dump(); };
  const std::size_t missing = settings.at("missing");
  return settings.at("benchmark").get<std::string>() + ": " + text(settings.at("pairs_here")) + " pairs" +
         (missing == 0 ? "" : " (" + std::to_string(missing) + " more left out: their scans are missing)") +
         (settings.at("shard") == "1/1" ? "" : ", part " + settings.at("shard").get<std::string>()) + "; voxel " +
         text(settings.at("voxel_m")) + " m; right: within " + text(settings.at("right").at("metres")) + " m and " +
         text(settings.at("right").at("degrees")) + " deg";
}

std::vector<EvalRecord> records_of(const EvalLog& log) {
  std::vector<EvalRecord> records;
  for (const std::string& line : log.lines()) try {
      records.push_back(parse_record(line));
    } catch (const std::invalid_argument& error) {
      throw datasets::IoError(log.folder() / "results.jsonl", datasets::Place::line(records.size() + 1), error.what());
    }
  return records;
}

/// What is printed and kept as table.txt.
std::string text_of(const EvalPage& page) {
  std::string text = page.head + "\n";
  for (const TitledTable& table : page.tables) text.append("\n").append(table.text());
  return text;
}

void write_plane_tables(const EvalLog& log, EvalPage& page, bool with_paper) {
  const auto tallies = parse_plane_lines(log.lines());
  std::vector<PlaneCurves> curves;
  for (const auto& [descriptor, tally] : tallies) curves.push_back(plane_curves(descriptor, tally));
  page.tables = {plane_table(
      tallies, with_paper ? published_planes(page.settings.at("benchmark")) : std::vector<PublishedPlanes>())};
  datasets::write_file(log.folder() / "planes.csv", planes_csv(tallies));
  datasets::write_file(log.folder() / "curves.csv", curves_csv(curves));
  draw_curves(log.folder() / "curves.png", curves);
  write_report(log.folder(), plane_report(page, tallies, curves));
}

void write_registration_tables(const EvalLog& log, EvalPage& page, const EvalShow& show) {
  const EvalSummary summary(page.settings.at("benchmark"), records_of(log));
  page.tables = summary.tables(show.with_paper);
  datasets::write_file(log.folder() / "results.csv", results_csv(summary.records()));
  datasets::write_file(log.folder() / "summary.csv", summary.summary_csv());
  if (const std::string stages = summary.stages_csv(); !stages.empty())
    datasets::write_file(log.folder() / "stages.csv", stages);
  write_report(log.folder(), eval_report(page, summary, show.benchmark));
}

std::size_t expected_lines(const Json& settings) {
  return settings.at("pairs_here").get<std::size_t>() * settings.at("methods").size();
}

/// What parts of one run have in common.
Json common(Json settings) {
  for (const char* own : {"shard", "missing", "pairs_here"}) settings.erase(own);
  return settings;
}

}  // namespace

std::string write_tables(const EvalLog& log, const EvalShow& show) {
  const Json settings = log.settings();
  if (log.lines().size() != expected_lines(settings))
    throw std::invalid_argument(log.folder().string() + " is not finished, or another run writes to it as well");
  EvalPage page{settings, head(settings), show.command, {}};
  if (settings.at("planes"))
    write_plane_tables(log, page, show.with_paper);
  else
    write_registration_tables(log, page, show);
  const std::string text = text_of(page);
  datasets::write_file(log.folder() / "table.txt", text);
  return text;
}

void merge_parts(const std::vector<fs::path>& parts, EvalLog& out, EvalLog::Earlier earlier) {
  std::map<std::size_t, std::string> results;  // of each part
  std::map<std::size_t, fs::path> folders;
  Json merged;
  std::size_t missing = 0, pairs = 0, count = 0;
  for (const fs::path& folder : parts) {
    const EvalLog log(folder);
    const Json settings = log.settings();
    const Shard shard = parse_shard(settings.at("shard"));
    if (merged.is_null()) merged = settings, count = shard.parts;
    if (common(merged) != common(settings) || shard.parts != count)
      throw std::invalid_argument(folder.string() + " and " + parts.front().string() +
                                  " are no parts of one run: their run.json differ in more than the part");
    if (const auto [at, fresh] = folders.try_emplace(shard.part, folder); !fresh)
      throw std::invalid_argument(folder.string() + " and " + at->second.string() + " are the same part");
    if (fs::exists(out.folder()) && fs::equivalent(folder, out.folder()))
      throw std::invalid_argument("--out must not be one of the parts");
    const std::vector<std::string> lines = log.lines();
    if (lines.size() != expected_lines(settings))
      throw std::invalid_argument(folder.string() + " is not finished: " + std::to_string(lines.size()) + " of " +
                                  std::to_string(expected_lines(settings)) + " results; run it again with --resume");
    for (const std::string& line : lines) results[shard.part] += line;
    pairs += settings.at("pairs_here").get<std::size_t>();
    missing += settings.at("missing").get<std::size_t>();
  }
  for (std::size_t part = 1; part <= count; ++part)
    if (!folders.contains(part))
      throw std::invalid_argument("part " + std::to_string(part) + " of " + std::to_string(count) + " is missing");
  merged["shard"] = "1/1";
  merged["missing"] = missing;
  merged["pairs_here"] = pairs;
  // There is nothing to go on with: parts are joined at once.
  out.begin(merged, 1, earlier == EvalLog::Earlier::resume ? EvalLog::Earlier::overwrite : earlier);
  for (const auto& [part, lines] : results) out.append(lines);
}

}  // namespace parte::apps
