// Registers two point clouds: parte_register SOURCE TARGET
#include <apps/picture.hpp>
#include <apps/report.hpp>
#include <apps/run_app.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/world/presets.hpp>
#include <datasets/world/sensors.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>

namespace {

using namespace parte;

constexpr int kRegistered = apps::kDone, kNotRegistered = 3;

struct Arguments {
  std::string source, target, sensor = "lidar", picture;
  double voxel = 0.0;  // 0: the default of the sensor
  int threads = 0;
  bool demo = false, json = false;
};

std::string positive_length(const std::string& text) {
  double value = 0.0;
  const bool valid = CLI::detail::lexical_cast(text, value) && value > 0.0 && std::isfinite(value);
  return valid ? "" : "must be a positive number of metres, not " + text;
}

void declare(CLI::App& app, Arguments& a) {
  auto* source = app.add_option("SOURCE", a.source, "the cloud to move (.bin of KITTI, .ply, .pcd, .xyz, .txt, .csv)");
  auto* target = app.add_option("TARGET", a.target, "the cloud to move it onto");
  auto* sensor = app.add_option("--sensor", a.sensor, "lidar: z is up, there is ground; rgbd: any attitude");
  sensor->check(CLI::IsMember({"lidar", "rgbd"}))->capture_default_str();
  app.add_option("--voxel", a.voxel, "edge of the voxels [m], 0.3 for lidar and 0.05 for rgbd if not given")
      ->check(positive_length);
  app.add_option("--picture", a.picture, "draw both clouds, before and after, to this PNG file");
  app.add_option("--threads", a.threads, "threads to use; 0: as many as there are")->check(CLI::Range(0, 1024));
  app.add_flag("--json", a.json, "print JSON instead of text");
  app.add_flag("--demo", a.demo, "register two synthetic scans whose true transform is known")
      ->excludes(source)
      ->excludes(target)
      ->excludes(sensor);
  source->needs(target);
  app.footer("Exit status: 0 registered, 3 not registered, 2 wrong usage, 1 any other error.");
  app.callback([&] {
    if (!a.demo && a.source.empty()) throw CLI::RequiredError("SOURCE TARGET, or --demo,");
  });
}

Options options_of(const Arguments& a) {
  const bool lidar = a.sensor == "lidar";
  Options options = lidar ? Options::lidar() : Options::rgbd();
  if (a.voxel != 0.0) options = lidar ? Options::lidar(a.voxel) : Options::rgbd(a.voxel);
  options.threads = a.threads;
  options.validate();
  return options;
}

/// Two scans of a made-up street, 12 m apart and facing different ways.
apps::Run demo() {
  constexpr double kTurn = 150.0 * std::numbers::pi / 180.0;
  const datasets::World street = datasets::make_street(1);
  const datasets::RayTracer tracer(street.mesh);
  const Eigen::Isometry3d T_world_source = datasets::street_pose(street, 94.0, -1.0, kTurn);
  const Eigen::Isometry3d T_world_target = datasets::street_pose(street, 106.0, 1.0, 0.0);
  apps::Run run;
  run.source = {
      "synthetic street at 94 m, turned by 150 deg", datasets::scan_lidar(tracer, T_world_source, {.seed = 1}), {}};
  run.target = {"synthetic street at 106 m", datasets::scan_lidar(tracer, T_world_target, {.seed = 2}), {}};
  run.truth = T_world_target.inverse() * T_world_source;
  return run;
}

apps::Run load(const Arguments& a) {
  if (a.demo) return demo();
  apps::Run run;
  run.source = {a.source, datasets::read_scan(a.source), {}};
  run.target = {a.target, datasets::read_scan(a.target), {}};
  return run;
}

void draw(const apps::Run& run, const Arguments& a) {
  apps::PictureOptions options;
  if (!run.result.success()) options.after = "not registered";
  options.camera_frame = a.sensor == "rgbd";
  apps::draw_alignment(a.picture, run.source.points, run.target.points, run.result.T_target_source, options);
  if (!a.json) std::printf("%-17s%s\n", "written", a.picture.c_str());
}

int run(const Arguments& a) {
  const Registration registration(options_of(a));
  if (a.demo && !a.json) std::printf("Two synthetic scans of one street; the true transform is known.\n\n");
  apps::Run run = load(a);
  run.source.features = registration.extract(run.source.points);
  run.target.features = registration.extract(run.target.points);
  run.result = registration.align(run.source.features, run.target.features);
  (a.json ? apps::print_json : apps::print_report)(run, registration.options());
  if (!a.picture.empty()) draw(run, a);
  if (!run.result.success()) return kNotRegistered;
  return run.truth && !apps::pose_error(run.result.T_target_source, *run.truth).small() ? kNotRegistered : kRegistered;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Registers two point clouds: finds the rigid transform that maps SOURCE onto TARGET, without a guess.",
               "parte_register");
  declare(app, arguments);
  return apps::run_app(app, argc, argv, [&] { return run(arguments); });
}
