#pragma once

#include <Eigen/Geometry>
#include <filesystem>
#include <string_view>
#include <vector>

namespace parte::datasets {

/// A pose as the file has it: a rotation matrix would not give back the digits of its quaternion.
struct QuaternionPose {
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();  ///< of unit length

  QuaternionPose() = default;
  QuaternionPose(const Eigen::Vector3d& t, const Eigen::Quaterniond& q) : translation(t), rotation(q) {}
  explicit QuaternionPose(const Eigen::Isometry3d& T)
      : translation(T.translation()), rotation(Eigen::Quaterniond(T.linear()).normalized()) {}
  [[nodiscard]] Eigen::Isometry3d isometry() const { return Eigen::Translation3d(translation) * rotation; }
};

/// A pose graph in three dimensions.
struct PoseGraph {
  struct Vertex {
    long id = 0;
    QuaternionPose T_world_vertex;
  };
  struct Edge {
    long from = 0, to = 0;
    QuaternionPose T_from_to;  ///< measured
    /// In the order of the FILE: translation x y z first, then rotation x y z (GTSAM has the rotation first). The
    /// numbers stay as they are; g2o itself takes them for the vector part of the quaternion, which is half the angle.
    Eigen::Matrix<double, 6, 6> information = Eigen::Matrix<double, 6, 6>::Identity();
  };
  std::vector<Vertex> vertices;
  std::vector<Edge> edges;
  std::vector<long> fixed;  ///< ids of vertices that an optimiser must not move
};

/// Lines VERTEX_SE3:QUAT, EDGE_SE3:QUAT and FIX in any order; `path` is for messages only. Quaternions within 0.01 of
/// unit length are normalised. Throws IoError naming the line: for any other tag, an id given twice, an id that no
/// vertex has, and a file without vertices.
[[nodiscard]] PoseGraph parse_g2o(std::string_view text, const std::filesystem::path& path);
[[nodiscard]] PoseGraph read_g2o(const std::filesystem::path& path);

/// A graph that was read is written so that reading it again gives the same numbers bit by bit. Of an information
/// matrix the upper triangle is written. Values that are not finite are an std::invalid_argument. A file of that name
/// is replaced at once or not at all. Throws IoError.
void write_g2o(const std::filesystem::path& path, const PoseGraph& graph);

}  // namespace parte::datasets
