// Maps a sequence of scans: parte_slam --kitti 00
#include <apps/interrupt.hpp>
#include <apps/progress.hpp>
#include <apps/run_app.hpp>
#include <apps/slam_graph.hpp>
#include <apps/slam_journal.hpp>
#include <apps/slam_output.hpp>
#include <apps/voxel_report.hpp>
#include <datasets/file.hpp>
#include <datasets/io_error.hpp>

#include <chrono>

namespace {

using namespace parte;
namespace fs = std::filesystem;

/// Whether the folder holds the results of a run with these settings.
bool is_finished(const fs::path& folder, const std::string& settings) {
  return fs::exists(folder / "metrics.json") && fs::exists(folder / "config.toml") &&
         datasets::read_file(folder / "config.toml") == settings;
}

/// What is left of an earlier run in the folder must fit this one.
void prepare(const apps::SlamConfig& config, const fs::path& folder, const std::string& settings,
             apps::SlamJournal& journal) {
  const fs::path file = folder / "config.toml";
  if (journal.exists() && !config.resume && !config.overwrite)
    throw std::invalid_argument(folder.string() +
                                " holds an interrupted run: --resume goes on with it, --overwrite begins anew");
  if (journal.exists() && config.resume && datasets::read_file(file) != settings)
    throw std::invalid_argument("the interrupted run in " + folder.string() +
                                " had other settings, see its config.toml: give the same ones, another --out, or "
                                "--overwrite");
  for (const char* name : apps::kResultFiles)
    if (fs::exists(folder / name) && fs::exists(config.odometry) && fs::equivalent(folder / name, config.odometry))
      throw std::invalid_argument("--out would replace " + config.odometry + ": give another folder");
  if (!config.resume || !journal.exists()) journal.remove();  // also what was begun and never vouched for
  fs::create_directories(folder);
  apps::remove_results(folder);
  datasets::write_file(file, settings);
}

/// False if it was interrupted.
bool replay(apps::SlamReplay& run, apps::SlamJournal& journal) {
  constexpr std::chrono::seconds kBetweenCheckpoints{15};
  apps::Progress progress("mapping", run.input().sequence.size(), run.frames.size());
  auto last = std::chrono::steady_clock::now();
  while (!apps::interrupted && run.step()) {
    progress.show(run.frames.size());
    if (std::chrono::steady_clock::now() - last < kBetweenCheckpoints) continue;
    journal.checkpoint(run);
    last = std::chrono::steady_clock::now();
  }
  progress.end();
  if (apps::interrupted) journal.checkpoint(run);
  return !apps::interrupted;
}

int map(apps::SlamConfig config, const apps::RunInfo& info) {
  const std::string& settings = info.settings;
  const fs::path folder = config.out_folder();
  apps::SlamJournal journal(folder / "state");
  if (config.resume && !journal.exists() && is_finished(folder, settings)) {
    std::fprintf(stderr, "%s is finished already\n", folder.c_str());
    return apps::kDone;
  }
  const apps::SlamInput input = apps::open_input(config);
  const bool choose = config.voxel == 0.0;
  if (choose)
    config.voxel = config.resume && journal.exists() ? journal.voxel()
                                                     : apps::automatic_voxel(input.sequence.size(), input.sequence.read,
                                                                             config.registration().sensor);
  apps::SlamReplay run(config, input);  // wrong settings are refused before anything is written
  prepare(config, folder, settings, journal);
  if (!config.json) std::printf("%s\n", apps::describe(input).c_str());
  if (!config.json && choose)
    std::printf("voxel %g m, by the extent and density of the scans (--voxel)\n", config.voxel);
  std::fflush(stdout);
  if (journal.exists()) journal.resume(run);
  if (!replay(run, journal)) {
    std::fprintf(stderr, "interrupted after %zu of %zu frames; the same command with --resume goes on\n",
                 run.frames.size(), input.sequence.size());
    return apps::kInterrupted;
  }
  run.finish();
  const apps::SlamMetrics metrics = apps::measure(run);
  apps::write_results(folder, run, metrics, config.map_voxel, info);
  journal.remove();
  if (config.json)
    std::fputs(apps::json_text(apps::to_json(metrics)).c_str(), stdout);
  else
    apps::print_summary(metrics, folder);
  return apps::kDone;
}

int close_graph(const apps::SlamConfig& config, const apps::RunInfo& info) {
  apps::close_graph(config, info, [] { return !apps::interrupted; });
  if (apps::interrupted) std::fprintf(stderr, "interrupted; the results are those of the scans looked at until then\n");
  return apps::interrupted ? apps::kInterrupted : apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  apps::SlamConfig config;
  CLI::App app("Maps a sequence of scans: odometry, loop closures by global registration, and a pose graph.",
               "parte_slam");
  apps::declare(app, config);
  bool dump = false;
  app.add_flag("--dump-config", dump, "print all settings as a file for --config, and end")->configurable(false);
  app.footer("Exit status: 0 done, 2 wrong usage, 130 interrupted, 1 any other error.");
  return apps::run_app(app, argc, argv, [&]() -> int {
    apps::settle(app, config);
    const std::string settings = apps::to_toml(app);
    if (dump) return std::fputs(settings.c_str(), stdout) < 0 ? apps::kError : apps::kDone;
    if (config.kitti.empty() && config.replay.empty() && config.demo.empty() && config.graph.empty())
      throw std::invalid_argument("nothing to map: give --kitti, --replay, --demo or --graph; --help says more");
    apps::catch_interrupts();
    const apps::RunInfo info{apps::command_line(argc, argv), settings};
    return config.graph.empty() ? map(config, info) : close_graph(config, info);
  });
}
