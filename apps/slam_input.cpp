#include <apps/slam_input.hpp>

#include <apps/frame_range.hpp>

#include <datasets/folder.hpp>
#include <datasets/io_error.hpp>
#include <datasets/kitti.hpp>
#include <datasets/trajectory.hpp>
#include <datasets/world/synthetic.hpp>

#include <stdexcept>

namespace parte::apps {
namespace {

namespace fs = std::filesystem;
using datasets::Sequence;

std::optional<fs::path> root_of(const SlamConfig& config) {
  return config.root.empty() ? std::nullopt : std::optional<fs::path>(config.root);
}

SlamInput open_kitti_input(const SlamConfig& config) try {
  const fs::path root = datasets::find_kitti_root(root_of(config));
  SlamInput input;
  input.sequence = datasets::open_kitti(root, config.kitti);
  datasets::KittiOptions official;
  official.ground_truth = datasets::KittiTruth::official;
  if (fs::exists(root / "poses" / (config.kitti + ".txt")))
    input.official = datasets::open_kitti(root, config.kitti, official).ground_truth;
  return input;
} catch (const datasets::IoError& error) {
  throw std::runtime_error(std::string(error.what()) + "\nNo data at hand? parte_slam --demo needs none.");
}

/// Poses from a file: KITTI's format is in the camera's frame if the sequence is one of KITTI.
std::vector<Eigen::Isometry3d> read_odometry(const SlamConfig& config, const Sequence& sequence) {
  if (!config.demo.empty()) throw std::invalid_argument("--odometry of --demo must be icp or truth, not a file");
  const bool kitti = !config.kitti.empty();
  const fs::path folder =
      kitti ? datasets::find_kitti_root(root_of(config)) / "sequences" / config.kitti : fs::path(config.replay);
  auto poses = datasets::open_folder(folder, config.odometry).ground_truth;
  if (kitti && !datasets::read_trajectory(config.odometry).times_s)
    poses = datasets::to_lidar_frame(std::move(poses), sequence.T_camera_lidar);
  return poses;
}

/// The frames that were asked for, by their indices.
std::vector<std::size_t> chosen_frames(const SlamConfig& config, const Sequence& sequence) {
  const FrameRange range = parse_frames(config.frames);
  std::vector<std::size_t> within, chosen;
  for (std::size_t i = 0; i < sequence.size(); ++i)
    if (sequence.ids[i] >= range.first && sequence.ids[i] <= range.last) within.push_back(i);
  for (std::size_t i = 0; i < within.size(); i += static_cast<std::size_t>(config.every)) chosen.push_back(within[i]);
  if (chosen.size() < 2)
    throw std::invalid_argument("--frames " + config.frames + " leaves " + std::to_string(chosen.size()) +
                                " frames of " + sequence.name + ", which has frames " +
                                std::to_string(sequence.ids.front()) + " to " + std::to_string(sequence.ids.back()));
  return chosen;
}

template <class T>
void keep(std::vector<T>& values, const std::vector<std::size_t>& indices) {
  if (values.empty()) return;
  std::vector<T> kept;
  for (const std::size_t i : indices) kept.push_back(values[i]);
  values = std::move(kept);
}

void keep_frames(SlamInput& input, const std::vector<std::size_t>& indices) {
  Sequence& s = input.sequence;
  keep(s.ids, indices);
  keep(s.times_s, indices);
  keep(s.ground_truth, indices);
  keep(input.official, indices);
  keep(input.odometry, indices);
  s.read = [read = s.read, indices](std::size_t i) { return read(indices.at(i)); };
}

}  // namespace

SlamInput open_input(const SlamConfig& config) {
  SlamInput input;
  if (!config.kitti.empty()) {
    input = open_kitti_input(config);
  } else if (!config.replay.empty()) {
    input.sequence = datasets::open_folder(config.replay);
  } else {
    datasets::SyntheticOptions world;
    world.preset = datasets::preset_named(config.demo);
    world.seed = config.seed;
    world.length_m = config.length_m;
    world.lidar = datasets::LidarOptions::of(datasets::lidar_named(config.lidar));
    input.sequence = datasets::open_synthetic(world);
  }
  if (config.odometry == "truth") {
    if (!input.has_truth()) throw std::invalid_argument("--odometry truth: " + input.sequence.name + " has none");
    input.odometry = input.sequence.ground_truth;
  } else if (config.odometry != "icp") {
    input.odometry = read_odometry(config, input.sequence);
  }
  keep_frames(input, chosen_frames(config, input.sequence));
  return input;
}

std::string describe(const SlamInput& input) {
  const Sequence& s = input.sequence;
  return s.name + "  " + std::to_string(s.size()) + " scans, " +
         (input.has_truth() ? "ground truth found" : "no ground truth");
}

}  // namespace parte::apps
