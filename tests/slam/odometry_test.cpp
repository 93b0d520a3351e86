#include <slam/odometry.hpp>

#include <datasets/folder.hpp>
#include <datasets/kitti.hpp>
#include <datasets/world/presets.hpp>
#include <datasets/world/sensors.hpp>
#include <datasets/world/synthetic.hpp>
#include <tests/datasets/files.hpp>
#include <tests/slam/numerics.hpp>

#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

namespace {

using namespace parte::slam;
using Eigen::Isometry3d;
using Eigen::Vector3d;
using parte::Matrix6d;
using parte::Vector6d;
using Cloud = std::vector<Eigen::Vector3f>;

/// A street, a car that goes along it, and a LiDAR of fewer columns than usual: quick.
class Street {
 public:
  [[nodiscard]] Isometry3d pose(double s, double left = 0.0, double yaw = 0.0) const {
    return parte::datasets::street_pose(street_, s, left, yaw);
  }
  [[nodiscard]] Cloud scan(const Isometry3d& at, std::uint64_t seed) const {
    parte::datasets::LidarOptions options;
    options.azimuth_steps = 700;
    options.seed = seed;
    return parte::datasets::scan_lidar(tracer_, at, options);
  }

  /// Somewhere in a bend: its beginning is at 0.
  [[nodiscard]] Isometry3d bend(double s) const { return pose(80.0 + s, 0.0, 0.1 * s); }
  /// While the car goes from half a metre before to half a metre after `s` in the bend.
  [[nodiscard]] Cloud distorted_scan(double s, std::uint64_t seed) const {
    parte::datasets::LidarOptions options;
    options.azimuth_steps = 700;
    options.seed = seed;
    return scan_lidar(
               tracer_, nullptr, [&](double turn) { return bend(s + turn); }, options)
        .points;
  }

 private:
  parte::datasets::World street_ = parte::datasets::make_street(1);
  parte::datasets::RayTracer tracer_{street_.mesh};
};
const Street& street() {
  static const Street instance;
  return instance;
}

/// What a sensor with a cone of 70 degrees sees of it.
Cloud narrow(Cloud scan) {
  std::erase_if(scan, [](const Eigen::Vector3f& p) { return !(p.x() > 0.82f * p.norm()); });
  return scan;
}

double metres(const Isometry3d& a, const Isometry3d& b) { return (a.inverse() * b).translation().norm(); }
double degrees(const Isometry3d& a, const Isometry3d& b) {
  return Eigen::AngleAxisd((a.inverse() * b).linear()).angle() * 180.0 / EIGEN_PI;
}

}  // namespace

TEST_CASE("the information of a step is that of the planes it was measured from", "[odometry][oracle]") {
  constexpr double kNoise = 0.01;
  Draw draw(7);
  const auto on_walls = [&](int count) {  // three walls, away from their edges and from the sides of voxels
    const Vector3d walls(-10.3, 12.3, -2.3);
    std::vector<Vector3d> points;
    for (int k = 0; k < count; ++k) {
      Vector3d p(draw.uniform(-7, 9), draw.uniform(-8, 8), draw.uniform(0, 16));  // thinning counts areas: all alike
      p[k % 3] = walls[k % 3] + draw.normal(kNoise);
      points.push_back(p);
    }
    return points;
  };
  // The scale of each distance is measured on the scan itself, so single scans stray; their mean must not.
  constexpr int kTrials = 8;
  Matrix6d found = Matrix6d::Zero();
  std::vector<Vector3d> scan;
  for (int trial = 0; trial < kTrials; ++trial) {
    Odometry odometry;
    odometry.add(on_walls(60'000));
    scan = on_walls(60'000);
    const Odometry::Step step = odometry.add(scan);
    REQUIRE(step.converged);
    REQUIRE(metres(step.T_last_this, Isometry3d::Identity()) < 0.02);
    REQUIRE(step.information.isApprox(step.information.transpose(), 1e-9));
    REQUIRE(step.rms_m < 2.0 * kNoise);
    found += step.information / step.information.trace() / kTrials;
  }
  // Per point, with the walls known: the shape must be the same; the scale counts the points after thinning.
  const auto cost = [&](const Vector6d& xi) {
    double total = 0.0;
    for (std::size_t k = 0; k < scan.size(); ++k) {
      const Vector3d moved = perturbed(Isometry3d::Identity(), xi) * scan[k];
      const double d = (moved - scan[k])[static_cast<int>(k % 3)];
      total += 0.5 * d * d;
    }
    return total;
  };
  const Matrix6d expected = hessian(cost, 1e-4) / hessian(cost, 1e-4).trace();
  CAPTURE(expected, found);
  REQUIRE((found - expected).norm() < 0.1 * expected.norm());
}

TEST_CASE("one step along a street is found to three centimetres", "[odometry]") {
  const Isometry3d a = street().pose(80.0), b = street().pose(81.2, 0.1, 0.03);
  Odometry odometry;
  REQUIRE(odometry.add(street().scan(a, 1)).converged);
  const Odometry::Step step = odometry.add(street().scan(b, 2));
  REQUIRE(step.converged);
  CAPTURE(step.T_last_this.matrix(), (a.inverse() * b).matrix());
  REQUIRE(metres(step.T_last_this, a.inverse() * b) < 0.03);
  REQUIRE(degrees(step.T_last_this, a.inverse() * b) < 0.15);
  REQUIRE(step.T_world_lidar.isApprox(step.T_last_this));
  REQUIRE(Eigen::LLT<Matrix6d>(step.information).info() == Eigen::Success);
}

TEST_CASE("a drive along a street stays true, and the map stays bounded", "[odometry]") {
  OdometryOptions options;
  options.max_range_m = 40.0;
  Odometry odometry(options);
  Isometry3d last;
  for (int k = 0; k < 30; ++k) last = odometry.add(street().scan(street().pose(60.0 + 1.5 * k), k)).T_world_lidar;
  REQUIRE(metres(last, street().pose(60.0).inverse() * street().pose(60.0 + 1.5 * 29)) < 0.1);
  for (const Vector3d& p : odometry.map().points())
    REQUIRE((p - last.translation()).norm() < options.max_range_m + options.voxel);
}

TEST_CASE("scans that are distorted by a bend drift less once that is undone", "[odometry]") {
  double error_deg[2];
  for (const bool deskew : {false, true}) {
    OdometryOptions options;
    options.deskew = deskew;
    Odometry odometry(options);
    Odometry::Step step;
    for (int k = 0; k < 12; ++k) step = odometry.add(street().distorted_scan(k, k));
    const Isometry3d truth = street().bend(0.0).inverse() * street().bend(11.0);
    error_deg[deskew] = degrees(step.T_world_lidar, truth);
    CAPTURE(deskew, error_deg[deskew], metres(step.T_world_lidar, truth), step.rms_m);
    CHECK(step.converged);
  }
  CAPTURE(error_deg[0], error_deg[1]);
  REQUIRE(error_deg[1] < 0.5 * error_deg[0]);
}

TEST_CASE("a drive that begins at speed is found from its first step on", "[odometry]") {
  for (const double speed : {2.0, 4.0}) {  // [m] a scan; nothing predicts the first one
    Odometry odometry;
    for (int k = 0; k < 4; ++k) {
      const Odometry::Step step = odometry.add(street().scan(street().pose(60.0 + speed * k), k));
      CAPTURE(speed, k, step.T_last_this.translation().transpose());
      REQUIRE(step.converged);
      REQUIRE(metres(step.T_world_lidar, street().pose(60.0).inverse() * street().pose(60.0 + speed * k)) < 0.05);
    }
  }
}

TEST_CASE("a car that nods is followed by 16 beams from its first step on", "[odometry]") {
  parte::datasets::SyntheticOptions town;
  town.lidar = parte::datasets::LidarOptions::of(parte::datasets::LidarModel::vlp16);
  const auto sequence = parte::datasets::open_synthetic(town);
  constexpr std::size_t kFirst = 100, kFrames = 25;  // it pitches by up to 5 mrad a step
  Odometry odometry;
  for (std::size_t k = 0; k < kFrames; ++k) {
    const Odometry::Step step = odometry.add(sequence.read(kFirst + k));
    const Isometry3d truth = sequence.ground_truth[kFirst].inverse() * sequence.ground_truth[kFirst + k];
    CAPTURE(k, metres(step.T_world_lidar, truth), degrees(step.T_world_lidar, truth));
    REQUIRE(step.converged);
    REQUIRE(metres(step.T_world_lidar, truth) < 0.1);
    REQUIRE(degrees(step.T_world_lidar, truth) < 0.3);
  }
}

TEST_CASE("odometry gives the same bits on one thread and on many", "[odometry]") {
  std::vector<Odometry::Step> results[2];
  for (int run = 0; run < 2; ++run) {
    OdometryOptions options;
    options.threads = run == 0 ? 1 : 4;
    Odometry odometry(options);
    for (int k = 0; k < 4; ++k) {  // the last one takes a global registration
      const Isometry3d at = street().pose(80.0 + k, 0.0, k == 3 ? 0.7 : 0.0);
      results[run].push_back(odometry.add(street().scan(at, k)));
    }
  }
  for (std::size_t k = 0; k < 4; ++k) {
    REQUIRE(results[0][k].T_world_lidar.matrix() == results[1][k].T_world_lidar.matrix());
    REQUIRE(results[0][k].information == results[1][k].information);
    REQUIRE(results[0][k].iterations == results[1][k].iterations);
    REQUIRE(results[0][k].rms_m == results[1][k].rms_m);
  }
}

TEST_CASE("a car that stands does not drift", "[odometry]") {
  const Isometry3d here = street().pose(80.0);
  Odometry odometry;
  for (std::uint64_t k = 0; k < 25; ++k) {
    const Odometry::Step step = odometry.add(street().scan(here, k));
    REQUIRE(step.converged);
    CAPTURE(k, metres(step.T_world_lidar, Isometry3d::Identity()));
    REQUIRE(metres(step.T_world_lidar, Isometry3d::Identity()) < 0.01);
    REQUIRE(degrees(step.T_world_lidar, Isometry3d::Identity()) < 0.05);
  }
}

TEST_CASE("a narrow view that a hand swings to and fro is followed", "[odometry]") {
  const auto held = [](int k) { return street().pose(80.0 + 0.1 * k, 0.0, 0.4 * std::sin(0.9 * k)); };
  Odometry odometry;
  for (int k = 0; k < 30; ++k) {
    const Odometry::Step step = odometry.add(narrow(street().scan(held(k), k)));
    const Isometry3d truth = held(0).inverse() * held(k);
    CAPTURE(k, step.fit, metres(step.T_world_lidar, truth), degrees(step.T_world_lidar, truth));
    REQUIRE(step.converged);
    REQUIRE(metres(step.T_world_lidar, truth) < 0.1);
    REQUIRE(degrees(step.T_world_lidar, truth) < 0.5);
  }
}

TEST_CASE("a sudden turn does not lose the way", "[odometry]") {
  const double turn_rad = GENERATE(0.7, -1.2, 2.5);
  Odometry odometry;
  for (int k = 0; k < 4; ++k) odometry.add(street().scan(street().pose(80.0 + k), k));
  for (int k = 4; k < 7; ++k) {
    const Isometry3d at = street().pose(80.0 + k, 0.0, turn_rad), truth = street().pose(80.0).inverse() * at;
    const Odometry::Step step = odometry.add(street().scan(at, k));
    CAPTURE(turn_rad, k, step.fit, metres(step.T_world_lidar, truth), degrees(step.T_world_lidar, truth));
    REQUIRE(step.converged);
    REQUIRE(metres(step.T_world_lidar, truth) < 0.1);
    REQUIRE(degrees(step.T_world_lidar, truth) < 0.3);
  }
}

TEST_CASE("a scan from elsewhere is reported as lost, and the way goes on from there", "[odometry]") {
  Odometry odometry;
  for (int k = 0; k < 5; ++k) odometry.add(street().scan(street().pose(60.0 + k), k));
  const auto elsewhere = [](int k) { return street().pose(160.0 + k, 0.0, 1.5); };
  const Odometry::Step lost = odometry.add(street().scan(elsewhere(0), 5));
  CAPTURE(lost.fit, lost.T_last_this.matrix());
  REQUIRE_FALSE(lost.converged);
  REQUIRE(lost.information.isZero());
  Odometry::Step step;
  for (int k = 1; k < 10; ++k) step = odometry.add(street().scan(elsewhere(k), 5 + k));
  REQUIRE(step.converged);
  REQUIRE(metres(step.T_last_this, elsewhere(8).inverse() * elsewhere(9)) < 0.05);
}

TEST_CASE("steps err as much as their information says", "[odometry]") {
  Odometry odometry;
  constexpr int kSteps = 40;
  double nees = 0.0;
  const auto at = [](int k) { return street().pose(60.0 + k, 0.2 * std::sin(0.5 * k), 0.02 * std::sin(0.7 * k)); };
  for (int k = 0; k <= kSteps; ++k) {
    const Odometry::Step step = odometry.add(street().scan(at(k), k));
    if (k == 0) continue;
    const Isometry3d error = step.T_last_this.inverse() * at(k - 1).inverse() * at(k);
    const Eigen::AngleAxisd rotation(error.linear());
    const Vector6d xi = (Vector6d() << rotation.angle() * rotation.axis(), error.translation()).finished();
    nees += xi.dot(step.information * xi) / kSteps;
  }
  CAPTURE(nees);  // 6 is the truth
  REQUIRE(nees > 1.5);
  REQUIRE(nees < 9.0);
}

TEST_CASE("points that are not finite change nothing", "[odometry]") {
  Odometry clean, dirty;
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  for (int k = 0; k < 2; ++k) {
    const Cloud scan = street().scan(street().pose(80.0 + k), k);
    Cloud spoilt = scan;
    spoilt.insert(spoilt.begin() + 100, {{nan, 0, 0}, {0, infinity, 5}, {1e30f, 1e30f, 0}, {3, 3, nan}, {0, 0, 0}});
    REQUIRE(clean.add(scan).T_world_lidar.matrix() == dirty.add(spoilt).T_world_lidar.matrix());
  }
}

TEST_CASE("a scan that says nothing leaves the prediction", "[odometry]") {
  const Cloud nothing, few(5, Eigen::Vector3f(10, 0, 0)), no_numbers(5000, Eigen::Vector3f::Constant(std::nanf("")));
  Odometry odometry;
  REQUIRE_FALSE(odometry.add(nothing).converged);  // before there is a map
  REQUIRE(odometry.map().empty());
  odometry.add(street().scan(street().pose(80.0), 1));
  const Odometry::Step moving = odometry.add(street().scan(street().pose(81.0), 2));
  Isometry3d predicted = moving.T_world_lidar;
  for (const Cloud& bad : {nothing, few, no_numbers}) {
    const Odometry::Step step = odometry.add(bad);
    predicted = predicted * moving.T_last_this;
    REQUIRE_FALSE(step.converged);
    REQUIRE(step.information.isZero());
    REQUIRE(step.T_world_lidar.isApprox(predicted, 1e-9));
  }
  const Odometry::Step back = odometry.add(street().scan(street().pose(85.0), 3));
  REQUIRE(back.converged);
  REQUIRE(metres(back.T_world_lidar, street().pose(80.0).inverse() * street().pose(85.0)) < 0.05);
}

TEST_CASE("wrong odometry options are named", "[odometry]") {
  const auto refused = [](auto change) {
    OdometryOptions options;
    change(options);
    REQUIRE_THROWS_AS(Odometry(options), std::invalid_argument);
  };
  refused([](auto& o) { o.voxel = 0.0; });
  refused([](auto& o) { o.voxel = std::nan(""); });
  refused([](auto& o) { o.max_range_m = 1.0; });
  refused([](auto& o) { o.min_range_m = -1.0; });
  refused([](auto& o) { o.min_motion_m = 0.0; });
  refused([](auto& o) { o.first_motion_m = 0.0; });
  refused([](auto& o) { o.max_iterations = 0; });
  refused([](auto& o) { o.threads = -1; });
}

TEST_CASE("consecutive scans of KITTI 05 agree with the poses to five centimetres a step", "[odometry][real]") {
  const auto root = test_data() / "kitti";
  if (!std::filesystem::exists(root / "sequences" / "05")) SKIP("no KITTI 05 in " << root);
  const auto sequence = parte::datasets::open_kitti(root, "05");
  Odometry odometry;
  for (std::size_t k = 0; k < sequence.size(); ++k) {
    const Odometry::Step step = odometry.add(sequence.read(k));
    REQUIRE(step.converged);
    if (k == 0) continue;
    const Isometry3d truth = sequence.ground_truth[k - 1].inverse() * sequence.ground_truth[k];
    CAPTURE(k, degrees(step.T_last_this, truth));
    REQUIRE((step.T_last_this.translation() - truth.translation()).norm() < 0.05);
  }
}

TEST_CASE("a Livox in a hand comes back to its start", "[odometry][real]") {
  const auto root = test_data() / "replay" / "hku_1_livox";
  if (!std::filesystem::exists(root)) SKIP("no hku_1_livox in " << root);
  const auto sequence = parte::datasets::open_folder(root);
  Odometry odometry;
  Odometry::Step step;
  std::size_t doubted = 0;
  double worst_m = 0.0;
  Isometry3d truth;
  for (std::size_t k = 0; k < sequence.size(); ++k) {
    step = odometry.add(sequence.read(k));
    truth = sequence.ground_truth.front().inverse() * sequence.ground_truth[k];
    doubted += !step.converged;
    worst_m = std::max(worst_m, metres(step.T_world_lidar, truth));
  }
  CAPTURE(doubted, worst_m);
  REQUIRE(worst_m < 0.5);  // also on the way
  REQUIRE(metres(step.T_world_lidar, truth) < 0.3);
  REQUIRE(degrees(step.T_world_lidar, truth) < 1.0);
  REQUIRE(doubted < 20);
}

TEST_CASE("an odometry that is restored goes on as if nothing had happened", "[odometry]") {
  const Street street;
  Odometry one;
  for (int i = 0; i < 6; ++i) one.add(street.scan(street.bend(i), static_cast<std::uint64_t>(i)));
  const std::string state = one.state();
  Odometry other;
  other.restore(state);
  for (int i = 6; i < 12; ++i) {
    const Cloud scan = street.scan(street.bend(i + (i > 8 ? 5.0 : 0.0)), static_cast<std::uint64_t>(i));  // and a jump
    const Odometry::Step a = one.add(scan), b = other.add(scan);
    REQUIRE(a.T_world_lidar.matrix() == b.T_world_lidar.matrix());
    REQUIRE(a.information == b.information);
    REQUIRE(a.jitter == b.jitter);
    REQUIRE(a.converged == b.converged);
  }
  REQUIRE(one.state() == other.state());
  REQUIRE_THROWS_AS(other.restore(std::string_view(state).substr(0, state.size() / 2)), std::invalid_argument);
  REQUIRE_THROWS_AS(other.restore(state + "x"), std::invalid_argument);
  REQUIRE_THROWS_AS(Odometry({.voxel = 0.7}).restore(state), std::invalid_argument);
}
