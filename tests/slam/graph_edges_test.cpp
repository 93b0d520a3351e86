#include <slam/graph_edges.hpp>
#include <slam/odometry_chain.hpp>
#include <slam/odometry_noise.hpp>

#include <gtsam/slam/BetweenFactor.h>
#include <gtsam/slam/dataset.h>

#include "../datasets/files.hpp"

#include <Eigen/Dense>
#include <datasets/g2o.hpp>
#include <numbers>
#include <slam/pose3.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

namespace {

using namespace parte;

Matrix6d some_covariance() {
  Matrix6d A = Matrix6d::Random();
  return A * A.transpose() + 0.1 * Matrix6d::Identity();
}

}  // namespace

TEST_CASE("an edge written for g2o is read by GTSAM as the factor it was", "[graph][oracle]") {
  const TemporaryFolder folder;
  const Matrix6d covariance = some_covariance();
  const Eigen::Isometry3d T =
      Eigen::Translation3d(1, 2, 3) * Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, -2, 0.5).normalized());
  datasets::PoseGraph graph;
  graph.vertices = {{0, {}}, {1, datasets::QuaternionPose(T)}};
  graph.edges = {{0, 1, datasets::QuaternionPose(T), slam::g2o_information(covariance)}};
  write_g2o(folder / "g.g2o", graph);
  const auto [factors, values] = gtsam::readG2o((folder / "g.g2o").string(), true);
  const auto* factor = dynamic_cast<const gtsam::BetweenFactor<gtsam::Pose3>*>(factors->at(0).get());
  REQUIRE(factor);
  CHECK(slam::covariance_of(factor->noiseModel()).isApprox(covariance, 1e-9));
  CHECK(factor->measured().matrix().isApprox(T.matrix(), 1e-9));
  CHECK(slam::g2o_covariance(slam::g2o_information(covariance)).isApprox(covariance, 1e-9));
  CHECK_THROWS_AS(slam::g2o_covariance(Matrix6d::Zero()), std::invalid_argument);
}

TEST_CASE("the uncertainty of a step is that of its alignment and of the way", "[noise]") {
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  motion.translation() << 0.0, 4.0, 3.0;
  const slam::OdometryNoise noise{.translation_m = 0.1, .rotation_deg = 180.0 / std::numbers::pi};
  const Matrix6d way = slam::step_covariance(motion, noise);
  CHECK(way.diagonal().head<3>().isApprox(Eigen::Vector3d::Constant(5.0)));
  CHECK(way.diagonal().tail<3>().isApprox(Eigen::Vector3d::Constant(0.05)));
  const Matrix6d alignment = some_covariance();
  CHECK(slam::step_covariance(motion, alignment.inverse(), noise).isApprox(alignment + way, 1e-9));
  CHECK(slam::step_covariance(motion, Matrix6d::Zero(), noise) == slam::unknown_step());
  CHECK_THROWS_AS(slam::step_covariance(motion, {.translation_m = 0.0}), std::invalid_argument);
}

TEST_CASE("a chain that grows step by step is the chain of the whole graph", "[graph]") {
  slam::OdometryChain grown;
  gtsam::NonlinearFactorGraph graph;
  gtsam::Values values;
  gtsam::Pose3 pose;
  for (gtsam::Key key = 0; key < 20; ++key) {
    const gtsam::Pose3 motion = gtsam::Pose3::Expmap(0.3 * gtsam::Vector6::Random());
    const Matrix6d covariance = some_covariance();
    pose = key == 0 ? motion : pose * motion;
    values.insert(key, pose);
    if (key > 0) slam::add_edge(graph, key - 1, key, slam::to_isometry(motion), covariance);
    grown.add(key, motion, covariance);
  }
  values.insert(1000, gtsam::Point3(1, 2, 3));  // a landmark is no pose
  const slam::OdometryChain whole(graph, values);
  REQUIRE(whole.size() == grown.size());
  CHECK(whole.covariance(3, 17).isApprox(grown.covariance(3, 17), 1e-9));
  CHECK(whole.motion(3, 17).equals(grown.motion(3, 17), 1e-9));
  CHECK(whole.path_m(19) == Catch::Approx(grown.path_m(19)));
  CHECK_THROWS_AS(grown.add(5, {}, Matrix6d::Identity()), std::invalid_argument);
}
