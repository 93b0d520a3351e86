#include <datasets/world/synthetic.hpp>

#include <parte/downsample.hpp>
#include <parte/require.hpp>

#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

namespace parte::datasets {
namespace {

std::vector<Eigen::Isometry3d> relative_to_first(const std::vector<Eigen::Isometry3d>& poses) {
  std::vector<Eigen::Isometry3d> relative;
  for (const Eigen::Isometry3d& pose : poses) relative.push_back(poses.front().inverse() * pose);
  return relative;
}

Points indoor_fragment(const RayTracer& world, const Eigen::Isometry3d& T_world_first, std::uint64_t seed) {
  constexpr int kViews = 6;
  constexpr double kGrid = 0.01;  // [m] views of one surface are merged, as in a fused model
  Points all;
  for (int k = 0; k < kViews; ++k) {
    Eigen::Isometry3d T_first_view = Eigen::Isometry3d::Identity();
    T_first_view.linear() = Eigen::AngleAxisd(0.05 * k, Eigen::Vector3d::UnitY()).toRotationMatrix();
    T_first_view.translation() << 0.03 * k, 0.0, 0.02 * k;
    DepthOptions options;
    options.seed = seed + static_cast<std::uint64_t>(k);
    for (const Eigen::Vector3f& p : scan_depth(world, T_world_first * T_first_view, options))
      all.push_back(T_first_view.cast<float>() * p);
  }
  const PointCloud merged = voxel_downsample(PointsView(all), kGrid);
  Points points;
  for (Index i = 0; i < merged.size(); ++i) points.emplace_back((merged.at(i) + merged.origin).cast<float>());
  return points;
}

Sequence open_indoor(std::uint64_t seed) {
  struct Indoor {
    IndoorWorld world;
    RayTracer tracer;
    explicit Indoor(std::uint64_t s) : world(make_indoor(s)), tracer(world.mesh) {}
  };
  const auto indoor = std::make_shared<const Indoor>(seed);
  Sequence sequence;
  sequence.ground_truth = relative_to_first(indoor->world.poses);
  sequence.read = [indoor, seed](std::size_t i) {
    return indoor_fragment(indoor->tracer, indoor->world.poses[i], 1000 * seed + 10 * i);
  };
  for (std::size_t i = 0; i < indoor->world.poses.size(); ++i) sequence.times_s.push_back(2.0 * static_cast<double>(i));
  return sequence;
}

Sequence open_drive(const SyntheticOptions& options) {
  const auto drive = std::make_shared<const SyntheticDrive>(options);
  Sequence sequence;
  sequence.times_s = drive->world().drive.times_s;
  sequence.ground_truth = drive->ground_truth();
  sequence.T_camera_lidar = kitti_like_calibration();
  sequence.read = [drive](std::size_t i) { return drive->scan(i).points; };
  return sequence;
}

}  // namespace

Eigen::Isometry3d kitti_like_calibration() {
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear() << 0, -1, 0, 0, 0, -1, 1, 0, 0;
  T.translation() << 0.0, -0.08, -0.27;
  return T;
}

SyntheticDrive::SyntheticDrive(const SyntheticOptions& options)
    : options_(options), world_(make_world(options.preset, options.seed, options.length_m)), standing_(world_.mesh) {
  options_.lidar.validate();
  require(options_.lidar.model != LidarModel::tls || !options_.motion_distortion,
          "SyntheticOptions::motion_distortion is not for tls, which stands while it scans");
}

std::vector<Eigen::Isometry3d> SyntheticDrive::ground_truth() const { return relative_to_first(world_.drive.poses); }

Mesh SyntheticDrive::movers_at(double time_s, const Eigen::Vector3d& sensor) const {
  constexpr double kGiveWay = 5.0, kSight = 90.0;  // [m]
  Mesh mesh;
  for (const Mover& mover : world_.movers) {
    const Path::Place place = mover.path.at(std::fmod(mover.start_m + mover.speed_mps * time_s, mover.path.length()));
    const double distance = (place.at - sensor.head<2>()).norm();
    if (distance < kGiveWay || distance > kSight) continue;
    Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
    T.translation() << place.at, world_.ground.height(place.at);
    mesh.append(mover.mesh, T * Eigen::AngleAxisd(place.heading, Eigen::Vector3d::UnitZ()));
  }
  return mesh;
}

/// Within half a frame before or after it, along the straight motion to its neighbour.
Eigen::Isometry3d SyntheticDrive::pose_within(std::size_t index, double turn) const {
  const auto& poses = world_.drive.poses;
  const Eigen::Isometry3d& here = poses[index];
  const std::size_t other = turn < 0.0 ? std::max<std::size_t>(index, 1) - 1 : std::min(index + 1, poses.size() - 1);
  const Eigen::Isometry3d step = here.inverse() * poses[other];
  Eigen::Isometry3d part = Eigen::Isometry3d::Identity();
  part.linear() =
      Eigen::Quaterniond::Identity().slerp(std::abs(turn), Eigen::Quaterniond(step.linear())).toRotationMatrix();
  part.translation() = std::abs(turn) * step.translation();
  return here * part;
}

LabelledScan SyntheticDrive::scan(std::size_t index) const {
  const Eigen::Isometry3d& here = world_.drive.poses.at(index);
  const Mesh mesh = movers_at(world_.drive.times_s[index], here.translation());
  std::optional<RayTracer> moving;
  if (!mesh.triangles.empty()) moving.emplace(mesh);
  LidarOptions lidar = options_.lidar;
  lidar.seed = options_.seed * 1'000'003 + index + options_.lidar.seed;
  const SensorMotion motion = [&](double turn) { return options_.motion_distortion ? pose_within(index, turn) : here; };
  return scan_lidar(standing_, moving ? &*moving : nullptr, motion, lidar);
}

Sequence open_synthetic(const SyntheticOptions& options) {
  const bool usual = options.lidar.model == LidarModel::hdl64e;
  require(usual || options.preset != Preset::indoor, "the indoor world is seen by a depth camera, not by a LiDAR");
  Sequence sequence = options.preset == Preset::indoor ? open_indoor(options.seed) : open_drive(options);
  sequence.name =
      std::string("synthetic ") + std::string(to_string(options.preset)) + " " + std::to_string(options.seed);
  if (!usual) (sequence.name += ' ') += to_string(options.lidar.model);
  sequence.ids.resize(sequence.times_s.size());
  std::iota(sequence.ids.begin(), sequence.ids.end(), 0);
  return sequence;
}

}  // namespace parte::datasets
