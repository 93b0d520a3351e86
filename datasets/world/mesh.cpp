#include <datasets/world/mesh.hpp>

namespace parte::datasets {

void Mesh::triangle(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c, Surface surface) {
  const auto first = static_cast<std::uint32_t>(vertices.size());
  for (const Eigen::Vector3d& corner : {a, b, c}) vertices.emplace_back(corner.cast<float>());
  triangles.push_back({{first, first + 1, first + 2}, surface});
}

void Mesh::quad(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c, const Eigen::Vector3d& d,
                Surface surface) {
  const auto first = static_cast<std::uint32_t>(vertices.size());
  for (const Eigen::Vector3d& corner : {a, b, c, d}) vertices.emplace_back(corner.cast<float>());
  triangles.push_back({{first, first + 1, first + 2}, surface});
  triangles.push_back({{first, first + 2, first + 3}, surface});
}

void Mesh::append(const Mesh& other, const Eigen::Isometry3d& T_this_other) {
  const auto first = static_cast<std::uint32_t>(vertices.size());
  for (const Eigen::Vector3f& v : other.vertices)
    vertices.emplace_back((T_this_other * v.cast<double>()).cast<float>());
  for (Triangle t : other.triangles) {
    for (std::uint32_t& corner : t.corners) corner += first;
    triangles.push_back(t);
  }
}

}  // namespace parte::datasets
