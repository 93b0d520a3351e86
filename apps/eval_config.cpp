#include <apps/eval_config.hpp>

#include <algorithm>

#include <CLI/CLI.hpp>

namespace parte::apps {
namespace {

void declare_output(CLI::App& app, EvalConfig& c) {
  auto* group = app.add_option_group("Output");
  group->add_option("--out", c.out, "folder of the results; by default out/ and the name of the benchmark");
  auto* resume = group->add_flag("--resume", c.resume, "go on with the run that is there");
  group->add_flag("--overwrite", c.overwrite, "begin anew, whatever is there")->excludes(resume);
  group->add_flag("--with-paper", c.with_paper, "show the rows of the paper beside ours, marked as published");
}

void declare_run(CLI::App& app, EvalConfig& c) {
  auto* group = app.add_option_group("Run");
  group->add_option("--threads", c.run.threads, "threads to use; 0: as many as there are")->check(CLI::Range(0, 1024));
  group->add_option("--jobs", c.run.jobs, "pairs at a time, each on one thread: for throughput, not for times")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  group->add_option("--memory", c.memory_gb, "for features [GB]")->check(CLI::PositiveNumber)->capture_default_str();
  group->add_option("--shard", c.shard, "I/N: only part I of N; parte_eval merge joins the parts");
  group->add_flag("--no-times", c.no_times, "leave times out, so that two runs can be compared byte by byte");
}

/// Shorthands add to --set what it could say as well.
void declare_methods(CLI::App& app, EvalConfig& c) {
  auto* group = app.add_option_group("Methods", "rows of the tables; the first one is PARTE");
  const auto shorthand = [&](const char* flag, std::vector<std::string> settings, const char* help) {
    group->add_flag_callback(
        flag,
        [&c, settings] {
          for (const std::string& s : settings) c.methods.set.push_back(s);
        },
        help);
  };
  group
      ->add_option("--set", c.methods.set,
                   "NAME=VALUE: an option of the registration, in all rows (README, Parameters)")
      ->allow_extra_args(false);
  group->add_option("--sweep", c.methods.sweeps, "NAME=A,B,C: a row for each value")->allow_extra_args(false);
  group->add_flag("--ablations", c.methods.ablations, "a row for each part of the method left out");
  shorthand("--as-published", kAsPublished, "without our verification: the heaviest clique's transform");
  shorthand("--point-only", {"use_planes=false"}, "no planes");
  shorthand("--no-patches", {"use_patches=false"}, "no plane but the ground");
  shorthand("--no-ground", {"use_ground=false"}, "no ground segmentation");
  shorthand("--one-level", {"plane_matching=one_level"}, "plane matching without coplanar groups");
  shorthand("--unoriented", {"orient_normals=false"}, "FPFH from normals of no particular side");
  group
      ->add_option_function<std::string>(
          "--plane-weights", [&c](const std::string& kind) { c.methods.set.push_back("plane_weights=" + kind); },
          "how planes count in the clique")
      ->check(CLI::IsMember({"confidence", "fixed", "none"}));
  group->add_option_function<std::string>(
      "--plane-weight", [&c](const std::string& weight) { c.methods.set.push_back("plane_weight=" + weight); },
      "multiplier of these weights");
  group->add_option("--ransac", c.methods.ransac, "iterations: a row of RANSAC for each; needs a build with Open3D")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 2'000'000'000));
  group->add_flag("--fgr", c.methods.fgr, "a row of FGR; needs a build with Open3D");
  group
      ->add_option("--external", c.methods.external,
                   "'CMD {source} {target}': a row of any program that prints a 4 x 4 matrix, source to target")
      ->allow_extra_args(false);
  group->add_option("--external-seconds", c.methods.external_limit_s, "that it may take for a pair")
      ->check(CLI::Range(0.1, 1e6))
      ->capture_default_str();
  auto* planes = group->add_flag("--planes", c.planes, "evaluate how well planes are matched, instead of registration");
  for (const char* other : {"--sweep", "--ablations", "--ransac", "--fgr", "--external", "--point-only", "--one-level"})
    planes->excludes(group->get_option(other));
}

void declare_protocol(CLI::App& app, EvalConfig& c) {
  auto* group = app.add_option_group("Protocol", "where it shall differ from the paper's");
  group->add_option("--voxel", c.benchmark.voxel, "edge of the voxels [m]")->check(CLI::PositiveNumber);
  group->add_option("--sensor", c.sensor, "lidar: z is up, there is ground; rgbd: any attitude")
      ->check(CLI::IsMember({"lidar", "rgbd"}));
  group->add_option("--max-m", c.benchmark.max_m, "a right result is off by this much at most [m]")
      ->check(CLI::PositiveNumber);
  group->add_option("--max-deg", c.benchmark.max_deg, "and this much [deg]")->check(CLI::PositiveNumber);
}

CLI::App* add_benchmark(CLI::App& app, EvalConfig& c, const std::string& name, const std::string& help) {
  CLI::App* sub = app.add_subcommand(name, help);
  sub->callback([&c, name] { c.benchmark.name = name; });
  if (name != "synthetic") {
    sub->add_option("--root", c.benchmark.root, "folder of the data")->capture_default_str();
    if (name.starts_with("kitti") || name.starts_with("3d"))
      sub->add_option("--lists", c.benchmark.lists, "folder of the lists of pairs, if not in --root");
    sub->add_flag("--allow-missing", c.benchmark.allow_missing, "leave out pairs whose scans are missing");
  }
  declare_protocol(*sub, c);
  declare_methods(*sub, c);
  declare_run(*sub, c);
  declare_output(*sub, c);
  return sub;
}

}  // namespace

EvalLog::Earlier EvalConfig::earlier() const {
  return overwrite ? EvalLog::Earlier::overwrite : resume ? EvalLog::Earlier::resume : EvalLog::Earlier::refuse;
}

std::filesystem::path EvalConfig::out_folder() const {
  if (!out.empty()) return out;
  std::string name = benchmark.name.empty() ? "merged" : benchmark.name + (planes ? "_planes" : "");
  if (!shard.empty()) name += "_" + shard;
  std::replace(name.begin(), name.end(), '/', '_');
  return std::filesystem::path("out") / name;
}

void declare(CLI::App& app, EvalConfig& c) {
  app.require_subcommand(1);
  add_benchmark(app, c, "kitti-lc", "loop closures of KITTI 00, 02, 05, 06 and 08 (lists of G3Reg)");
  add_benchmark(app, c, "kitti-10m", "scans of KITTI 08, 09 and 10 that are 10 m apart");
  add_benchmark(app, c, "3dmatch", "fragments of the eight test scenes, overlap 30 % and more");
  add_benchmark(app, c, "3dlomatch", "the same, overlap 10 to 30 %");
  add_benchmark(app, c, "eth", "Gazebo and Wood of ETH's challenging data sets");
  add_benchmark(app, c, "resso", "partial to full scans of RESSO, scenes 6a to 6h");
  CLI::App* synthetic = add_benchmark(app, c, "synthetic", "pairs of the built-in worlds; needs no data");
  synthetic
      ->add_option("--presets", c.benchmark.presets,
                   "town, reverse, forest, highway, circuit, circuit_reverse, ambiguous; or indoor alone")
      ->delimiter(',')
      ->capture_default_str();
  synthetic->add_option("--pairs", c.benchmark.pairs_per_preset, "of each preset")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  synthetic->add_option("--lidar", c.benchmark.lidar, "hdl64e, vlp16, hdl32e, os1_128, mid360 or tls")
      ->capture_default_str();
  synthetic->add_option("--seed", c.benchmark.seed, "of the worlds")->capture_default_str();
  CLI::App* pairs = add_benchmark(app, c, "pairs", "pairs of your own lists, in the form of KITTI-LC or 3DMatch");
  pairs->add_option("LIST", c.benchmark.pair_lists, "files; docs/FORMATS.md has their form")->required();
  CLI::App* merge = app.add_subcommand("merge", "joins the parts of a benchmark that --shard has split");
  merge->add_option("FOLDER", c.parts, "the --out of each part")->required();
  declare_output(*merge, c);
}

}  // namespace parte::apps
