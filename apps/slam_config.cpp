#include <apps/slam_config.hpp>

#include <cmath>
#include <filesystem>
#include <sstream>
#include <type_traits>

#include <CLI/CLI.hpp>

namespace parte::apps {
namespace {

std::string positive(const std::string& text) {
  double value = 0.0;
  const bool valid = CLI::detail::lexical_cast(text, value) && value > 0.0 && std::isfinite(value);
  return valid ? "" : "must be a positive number, not " + text;
}

void declare_input(CLI::App& app, SlamConfig& c) {
  auto* group = app.add_option_group("What to map", "one of --kitti, --replay, --demo and --graph");
  auto* kitti = group->add_option("--kitti", c.kitti, "sequence of KITTI odometry, 00 to 21");
  auto* replay = group->add_option("--replay", c.replay, "folder of scans, with poses.txt if there is ground truth");
  auto* demo = group
                   ->add_option("--demo", c.demo,
                                "a synthetic world: town, reverse, highway, forest, circuit, circuit_reverse, "
                                "ambiguous or indoor; needs no data")
                   ->expected(0, 1)
                   ->default_str("town")
                   ->check(CLI::IsMember(
                       {"town", "reverse", "highway", "forest", "circuit", "circuit_reverse", "ambiguous", "indoor"}))
                   ->excludes(kitti)
                   ->excludes(replay);
  auto* graph = group->add_option("--graph", c.graph, "g2o file to add loop closures to; needs --scans");
  auto* scans = group->add_option("--scans", c.scans, "folder with the scans of the vertices of --graph, by their ids");
  graph->needs(scans)->excludes(kitti)->excludes(replay)->excludes(demo);
  scans->needs(graph);
  replay->excludes(kitti);
  group->add_option("--root", c.root, "KITTI's folder, the one with sequences/; else $KITTI_ROOT and the usual places")
      ->needs(kitti);
  group
      ->add_option("--lidar", c.lidar,
                   "what a world but indoor is seen by: hdl64e, vlp16, hdl32e, os1_128, mid360 or tls")
      ->capture_default_str();
  group
      ->add_option("--length-m", c.length_m, "of the drive of circuit, circuit_reverse and ambiguous, 1000 to 4000 [m]")
      ->capture_default_str();
  group->add_option("--seed", c.seed, "of the synthetic world and of --degrade")->capture_default_str();
  group->add_option("--frames", c.frames, "A:B, only the frames numbered A to B");
  group->add_option("--every", c.every, "only every so many-th frame")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

void declare_odometry(CLI::App& app, SlamConfig& c) {
  auto* group = app.add_option_group("Odometry");
  group
      ->add_option("--odometry", c.odometry,
                   "icp: from the scans; truth: the ground truth, for --degrade; or a file of poses (KITTI or TUM)")
      ->capture_default_str();
  group->add_flag("--degrade,!--no-degrade", c.degrade, "spoil the odometry, to see what loop closing is worth");
  group->add_option("--degrade-m", c.degrade_m, "its noise after one metre [m]")
      ->check(positive)
      ->capture_default_str();
  group->add_option("--degrade-deg", c.degrade_deg, "its yaw noise after one metre [deg]")
      ->check(positive)
      ->capture_default_str();
  group->add_option("--degrade-scale", c.degrade_scale, "by how much ways are too long")->capture_default_str();
  group->add_option("--odometry-voxel", c.odometry_voxel, "cubes of the local map [m]")
      ->check(positive)
      ->capture_default_str();
  group->add_option("--min-range", c.min_range_m, "nearer points are left out [m]")->capture_default_str();
  group->add_option("--max-range", c.max_range_m, "farther points are left out [m]")
      ->check(positive)
      ->capture_default_str();
  group->add_flag("--deskew", c.deskew, "the scans are as a spinning LiDAR took them on the way");
  group->add_option("--odometry-noise-m", c.noise.translation_m, "drift after one metre [m], beyond the residuals'")
      ->check(positive)
      ->capture_default_str();
  group->add_option("--odometry-noise-deg", c.noise.rotation_deg, "the same [deg]")
      ->check(positive)
      ->capture_default_str();
}

void declare_loops(CLI::App& app, SlamConfig& c) {
  auto* group = app.add_option_group("Loop closing");
  slam::LoopFinderOptions& loops = c.mapper.loops;
  group->add_option("--sensor", c.sensor, "lidar: z is up, there is ground; rgbd: any attitude")
      ->check(CLI::IsMember({"lidar", "rgbd"}))
      ->capture_default_str();
  group->add_option("--voxel", c.voxel, "voxels of the registration [m]; 0: by the extent and density of the scans")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  group->add_option("--refine", c.refine, "refine accepted transforms by point-to-plane ICP")->default_str("true");
  group->add_option("--keyframe-m", c.mapper.keyframe_m, "way between keyframes [m]")
      ->check(positive)
      ->capture_default_str();
  group->add_option("--keyframe-deg", c.mapper.keyframe_deg, "or turn [deg]")->check(positive)->capture_default_str();
  group->add_option("--loop-path-m", loops.min_path_m, "way before a place can be met again [m]")
      ->check(positive)
      ->capture_default_str();
  group->add_option("--loop-radius-m", loops.radius_m, "where to look for loops if the estimate is good [m]")
      ->capture_default_str();
  group->add_option("--loop-max-radius-m", loops.max_radius_m, "and at most, if it is not [m]")->capture_default_str();
  group->add_option("--look-alikes", loops.look_alikes, "try places that look alike, wherever they are")
      ->default_str("true");
  group
      ->add_option("--partial-loops", loops.partial_loops,
                   "loops that leave one direction open, as along a street, wide along it")
      ->default_str("true");
  group->add_option("--max-unlikeness", loops.max_unlikeness, "of such places, 0 to 1")->capture_default_str();
  group->add_option("--max-attempts", loops.max_attempts, "registrations tried from one keyframe")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  group
      ->add_option("--max-neighbors", loops.max_neighbors,
                   "pairs beside a loop that are asked where it needs more evidence")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  group->add_option("--map-voxel", c.map_voxel, "grid of map.ply [m]")->check(positive)->capture_default_str();
}

/// What refusals are measured against.
void declare_limits(CLI::App& app, SlamConfig& c) {
  auto* group = app.add_option_group("What it takes to accept a loop");
  const auto add = [&](const char* name, double& value, const char* text) {
    group->add_option(name, value, text)->check(positive)->capture_default_str();
  };
  group
      ->add_option("--min-confidence", c.verification.min_confidence,
                   "of a registration: the probability that it is correct")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  add("--max-odometry-chi2", c.mapper.loops.max_odometry_chi2, "of a loop against odometry, 6 degrees of freedom");
  add("--min-evidence", c.mapper.rebuild.consistency.min_evidence,
      "decades of improbability of being wrong, of loops that agree together; 3: one in a thousand");
  add("--max-cluster-chi2", c.mapper.rebuild.consistency.max_cluster_chi2,
      "of loops that agree, against odometry and the others");
  add("--max-loop-chi2", c.mapper.rebuild.max_loop_chi2, "of a loop against the final trajectory");
}

}  // namespace

Options SlamConfig::registration() const {
  const bool lidar = sensor == "lidar";
  Options options = lidar ? Options::lidar() : Options::rgbd();
  if (voxel > 0.0) options = lidar ? Options::lidar(voxel) : Options::rgbd(voxel);
  options.threads = threads;
  options.verification = verification;
  options.verification.refine = refine;
  options.validate();
  return options;
}

slam::MapperOptions SlamConfig::mapping() const {
  slam::MapperOptions options = mapper;
  if (sensor == "rgbd") options.loops.covariance = CovarianceOptions::rgbd();
  options.rebuild.threads = threads;
  options.validate();
  return options;
}

slam::OdometryOptions SlamConfig::lidar_odometry() const {
  slam::OdometryOptions options;
  options.voxel = odometry_voxel;
  options.min_range_m = min_range_m;
  options.max_range_m = max_range_m;
  options.deskew = deskew;
  options.threads = threads;
  options.validate();
  return options;
}

std::string SlamConfig::out_folder() const {
  if (!out.empty()) return out;
  if (!kitti.empty()) return "out/kitti_" + kitti;
  if (!demo.empty()) return "out/" + demo;
  const auto input = std::filesystem::weakly_canonical(graph.empty() ? replay : graph);
  return "out/" + (input.has_filename() ? input : input.parent_path()).stem().string();
}

void declare(CLI::App& app, SlamConfig& c) {
  declare_input(app, c);
  declare_odometry(app, c);
  declare_loops(app, c);
  declare_limits(app, c);
  auto* group = app.add_option_group("The run");
  group->add_option("--out", c.out, "folder for the results; out/ and the name of the input if not given")
      ->configurable(false);
  group->add_option("--memory", c.memory_gb, "for features of scans [GB]; those beyond are made again when needed")
      ->check(positive)
      ->configurable(false)
      ->capture_default_str();
  group->add_option("--threads", c.threads, "threads to use; 0: as many as there are")
      ->check(CLI::Range(0, 1024))
      ->configurable(false);
  group->add_flag("--json", c.json, "print metrics.json instead of text")->configurable(false);
  auto* resume = group->add_flag("--resume", c.resume, "go on with an interrupted run")->configurable(false);
  group->add_flag("--overwrite", c.overwrite, "begin anew where an interrupted run is")
      ->configurable(false)
      ->excludes(resume);
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.set_config("--config", "", "file of settings (TOML), as --dump-config prints them")->configurable(false);
}

void settle(CLI::App& app, SlamConfig& c) {
  const auto otherwise = [&](const char* name, auto& setting, const auto& value) {
    CLI::Option* option = app.get_option(name);
    if (option->count() > 0) return;
    setting = value;
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>)
      option->default_str(value ? "true" : "false");
    else
      option->default_str(CLI::detail::to_string(value));
  };
  if (!c.demo.empty()) {
    const bool indoor = c.demo == "indoor";
    if (indoor) otherwise("--sensor", c.sensor, "rgbd");
    if (indoor) otherwise("--odometry", c.odometry, "truth");  // fragments are too far apart for ICP
    otherwise("--every", c.every, indoor ? 1 : 2);
    otherwise("--degrade", c.degrade, true);
  }
  if (c.sensor != "rgbd") return;
  const auto near = slam::LoopFinderOptions::rgbd();
  otherwise("--odometry-voxel", c.odometry_voxel, 0.2);
  otherwise("--min-range", c.min_range_m, 0.2);
  otherwise("--max-range", c.max_range_m, 15.0);
  otherwise("--keyframe-m", c.mapper.keyframe_m, 0.3);
  otherwise("--loop-path-m", c.mapper.loops.min_path_m, near.min_path_m);
  otherwise("--loop-radius-m", c.mapper.loops.radius_m, near.radius_m);
  otherwise("--loop-max-radius-m", c.mapper.loops.max_radius_m, near.max_radius_m);
  otherwise("--partial-loops", c.mapper.loops.partial_loops, near.partial_loops);
  otherwise("--look-alikes", c.mapper.loops.look_alikes, near.look_alikes);
  c.mapper.loops.alias_range_m = near.alias_range_m;
  otherwise("--map-voxel", c.map_voxel, 0.05);
}

std::string to_toml(const CLI::App& app) {
  std::istringstream all(app.config_to_str(true, false));
  std::string text;
  for (std::string line; std::getline(all, line);) {
    // What was not given and names an input, or has no value, would count as given when it is read again.
    const CLI::Option* option = app.get_option_no_throw("--" + line.substr(0, line.find('=')));
    const bool input = line.starts_with("demo=") || line.ends_with("=\"\"");
    if (!(input && (!option || option->count() == 0))) text += line + "\n";
  }
  return text;
}

}  // namespace parte::apps
