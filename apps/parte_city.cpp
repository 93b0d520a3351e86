// Writes a drive through the synthetic city in KITTI's layout: parte_city town OUT
#include <apps/frame_range.hpp>
#include <apps/interrupt.hpp>
#include <apps/progress.hpp>
#include <apps/run_app.hpp>
#include <datasets/world/kitti_export.hpp>

#include <cstdio>

namespace {

using namespace parte;

struct Arguments {
  std::string preset, out, name = "00", frames, lidar = "hdl64e";
  std::uint64_t seed = 1;
  double length_m = 1500.0;
  bool motion_distortion = false;
};

void declare(CLI::App& app, Arguments& a) {
  app.add_option("PRESET", a.preset, "town, reverse, highway, forest, circuit, circuit_reverse or ambiguous")
      ->required()
      ->check(CLI::IsMember({"town", "reverse", "highway", "forest", "circuit", "circuit_reverse", "ambiguous"}));
  app.add_option("OUT", a.out, "folder to write to; becomes a KITTI root")->required();
  app.add_option("--seed", a.seed, "another number, another place")->capture_default_str();
  app.add_option("--length-m", a.length_m, "of the drive of circuit, circuit_reverse and ambiguous, 1000 to 4000 [m]")
      ->capture_default_str();
  app.add_option("--lidar", a.lidar, "hdl64e, vlp16, hdl32e, os1_128, mid360 or tls")->capture_default_str();
  app.add_option("--sequence", a.name, "name of the sequence")->capture_default_str();
  app.add_option("--frames", a.frames, "A:B, frames A to B, both included; all if not given");
  app.add_flag("--motion-distortion", a.motion_distortion, "the car moves while the LiDAR turns");
  app.footer(
      "Frames that are there already are kept: an interrupted run goes on where it stopped.\n"
      "Exit status: 0 done, 2 wrong usage, 130 interrupted, 1 any other error.");
}

std::pair<std::size_t, std::size_t> frames_of(const std::string& option, std::size_t count) {
  const apps::FrameRange range = apps::parse_frames(option);
  const auto first = static_cast<std::size_t>(range.first), last = static_cast<std::size_t>(range.last);
  if (first >= count)
    throw std::invalid_argument("--frames " + option + ": the drive has frames 0 to " + std::to_string(count - 1));
  return {first, std::min(last, count - 1)};
}

int run(const Arguments& a) {
  datasets::SyntheticOptions options;
  options.preset = datasets::preset_named(a.preset);
  options.seed = a.seed;
  options.length_m = a.length_m;
  options.lidar = datasets::LidarOptions::of(datasets::lidar_named(a.lidar));
  options.motion_distortion = a.motion_distortion;
  const datasets::SyntheticDrive drive(options);
  const auto [first, last] = frames_of(a.frames, drive.size());
  apps::Progress progress("writing", last - first + 1);
  apps::catch_interrupts();
  datasets::write_kitti(drive, a.out, a.name, first, last, [&](std::size_t frame) {
    progress.show(frame - first + 1);
    return !apps::interrupted;
  });
  progress.end();
  if (apps::interrupted) {
    std::fprintf(stderr, "\ninterrupted; the same command goes on from here\n");
    return apps::kInterrupted;
  }
  std::printf("written: %s/{sequences/%s/{velodyne,labels,calib.txt,times.txt},poses/%s.txt}\n", a.out.c_str(),
              a.name.c_str(), a.name.c_str());
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Writes scans of a synthetic city, with ground truth, in the layout of KITTI odometry.", "parte_city");
  declare(app, arguments);
  return apps::run_app(app, argc, argv, [&] { return run(arguments); });
}
