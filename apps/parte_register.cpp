// Registers two point clouds: parte_register SOURCE TARGET
#include <apps/picture.hpp>
#include <apps/register_report.hpp>
#include <apps/run_app.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/text.hpp>
#include <datasets/world/presets.hpp>
#include <datasets/world/sensors.hpp>
#include <parte/covariance.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>

namespace {

using namespace parte;

constexpr int kRegistered = apps::kDone, kNotRegistered = 3;

struct Arguments {
  std::string source, target, sensor = "lidar", picture, out;
  double voxel = 0.0;  // 0: chosen for the clouds
  int threads = 0;
  bool demo = false, json = false;
};

std::string positive_length(const std::string& text) {
  double value = 0.0;
  const bool valid = CLI::detail::lexical_cast(text, value) && value > 0.0 && std::isfinite(value);
  return valid ? "" : "must be a positive number of metres, not " + text;
}

std::string picture_name(const std::string& text) {
  return apps::is_picture_file(text) ? "" : "must end in .png or .svg, not " + text;
}

std::string cloud_name(const std::string& text) {
  const bool valid = datasets::lower_case(std::filesystem::path(text).extension().string()) == ".ply";
  return valid ? "" : "must end in .ply, not " + text;
}

void declare(CLI::App& app, Arguments& a) {
  auto* source = app.add_option("SOURCE", a.source, "the cloud to move (.bin of KITTI, .ply, .pcd, .xyz, .txt, .csv)");
  auto* target = app.add_option("TARGET", a.target, "the cloud to move it onto");
  auto* sensor = app.add_option("--sensor", a.sensor, "lidar: z is up, there is ground; rgbd: any attitude");
  sensor->check(CLI::IsMember({"lidar", "rgbd"}))->capture_default_str();
  app.add_option("--voxel", a.voxel,
                 "edge of the voxels [m]; chosen by the size and density of the clouds if not given")
      ->check(positive_length);
  app.add_option("--out", a.out, "write SOURCE, moved into the frame of TARGET, to this .ply file, if registered")
      ->check(cloud_name);
  app.add_option("--picture", a.picture, "draw both clouds, before and after, to this .png or .svg file")
      ->check(picture_name);
  app.add_option("--threads", a.threads, "threads to use; 0: as many as there are")->check(CLI::Range(0, 1024));
  app.add_flag("--json", a.json, "print JSON instead of text");
  app.add_flag("--demo", a.demo, "register two synthetic scans whose true transform is known")
      ->excludes(source)
      ->excludes(target)
      ->excludes(sensor);
  source->needs(target);
  app.footer(
      "Coordinates are metres, read and written in single precision (float32), which is good to 0.06 m at\n"
      "1000 km: move clouds in UTM or similar coordinates near the origin first.\n"
      "Exit status: 0 registered, 3 not registered, 2 wrong usage, 1 any other error.");
  app.callback([&] {
    if (!a.demo && a.source.empty()) throw CLI::RequiredError("SOURCE TARGET, or --demo,");
  });
}

Sensor sensor_of(const Arguments& a) { return a.sensor == "lidar" ? Sensor::lidar : Sensor::rgbd; }

Options options_of(const Arguments& a, double voxel) {
  Options options = sensor_of(a) == Sensor::lidar ? Options::lidar(voxel) : Options::rgbd(voxel);
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

/// Registers the two clouds of `run` and returns the settings that did it.
Options register_clouds(apps::Run& run, const Arguments& a) {
  if (a.voxel == 0.0) run.voxel = choose_voxel(run.source.points, run.target.points, sensor_of(a));
  const Registration registration(options_of(a, run.voxel ? run.voxel->voxel : a.voxel));
  run.source.features = registration.extract(run.source.points);
  run.target.features = registration.extract(run.target.points);
  run.result = registration.align(run.source.features, run.target.features);
  if (run.result.success())
    run.covariance = registration_covariance(run.result, CovarianceOptions::of(registration.options()));
  return registration.options();
}

void say_written(const std::string& file, const Arguments& a) {
  if (!a.json) std::printf("%-17s%s\n", "written", file.c_str());
}

void write_aligned(const apps::Run& run, const Arguments& a) {
  if (!run.result.success()) {
    std::fprintf(stderr, "parte_register: %s is not written, since the clouds are not registered\n", a.out.c_str());
    return;
  }
  std::vector<Eigen::Vector3f> moved = run.source.points;
  for (Eigen::Vector3f& point : moved) point = (run.result.T_target_source * point.cast<double>()).cast<float>();
  datasets::write_ply(a.out, moved);
  say_written(a.out, a);
}

void draw(const apps::Run& run, const Arguments& a) {
  apps::PictureOptions options;
  if (!run.result.success()) options.after = "not registered";
  options.camera_frame = a.sensor == "rgbd";
  apps::draw_alignment(a.picture, run.source.points, run.target.points, run.result.T_target_source, options);
  say_written(a.picture, a);
}

int run(const Arguments& a) {
  if (a.demo && !a.json) std::printf("Two synthetic scans of one street; the true transform is known.\n\n");
  apps::Run run = load(a);
  const Options options = register_clouds(run, a);
  (a.json ? apps::print_json : apps::print_report)(run, options);
  if (!a.out.empty()) write_aligned(run, a);
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
