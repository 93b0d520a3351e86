#include <apps/loop_detail.hpp>

#include <slam/state_bytes.hpp>

#include <Eigen/Eigenvalues>
#include <stdexcept>

namespace parte::apps {
namespace {

constexpr std::size_t kMaxPoints = 60, kMaxPlanes = 30;

std::size_t take_count(std::string_view& bytes, std::size_t limit) {
  const auto count = slam::take<std::size_t>(bytes);
  if (count > limit) throw std::invalid_argument("the number of a loop's pairs is damaged");
  return count;
}

}  // namespace

PatchCorners patch_corners(const PointCloud& cloud, const PlanarPatch& patch) {
  const Eigen::Matrix3d in_plane = Eigen::Matrix3d::Identity() - patch.normal * patch.normal.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(in_plane * patch.covariance * in_plane);
  const Eigen::Vector3d along = solver.eigenvectors().col(2), across = patch.normal.cross(along);
  Eigen::AlignedBox2d box;
  for (const Index i : patch.indices) {
    const Eigen::Vector3d p = cloud.at(i) - patch.centroid;
    box.extend(Eigen::Vector2d(p.dot(along), p.dot(across)));
  }
  const auto corner = [&](double a, double b) {
    return Eigen::Vector3f((cloud.origin + patch.centroid + a * along + b * across).cast<float>());
  };
  return {corner(box.min().x(), box.min().y()), corner(box.max().x(), box.min().y()),
          corner(box.max().x(), box.max().y()), corner(box.min().x(), box.max().y())};
}

LoopDetail loop_detail(const Result& result, const Features& source, const Features& target) {
  LoopDetail detail;
  for (const Correspondence& c : evenly_chosen(result.clique_points, kMaxPoints))
    detail.points.push_back({c.source.cast<float>(), c.target.cast<float>()});
  const auto corners = [&](const Features& scan, Index patch) {
    const Features& f = scan.at_level(result.level);
    return patch_corners(f.cloud, f.description().planes.patches[patch]);
  };
  for (const PlaneMatch& m : evenly_chosen(result.clique_planes, kMaxPlanes))
    detail.planes.push_back({corners(source, m.source), corners(target, m.target)});
  return detail;
}

void put_detail(std::string& bytes, const LoopDetail& detail) {
  slam::put(bytes, detail.points.size());
  slam::put(bytes, detail.planes.size());
  for (const LoopDetail::PointPair& pair : detail.points) {
    slam::put_matrix(bytes, pair.source);
    slam::put_matrix(bytes, pair.target);
  }
  for (const LoopDetail::PlanePair& pair : detail.planes)
    for (const PatchCorners& corners : {pair.source, pair.target})
      for (const Eigen::Vector3f& corner : corners) slam::put_matrix(bytes, corner);
}

LoopDetail take_detail(std::string_view& bytes) {
  LoopDetail detail;
  const std::size_t points = take_count(bytes, kMaxPoints), planes = take_count(bytes, kMaxPlanes);
  detail.points.resize(points);
  detail.planes.resize(planes);
  for (LoopDetail::PointPair& pair : detail.points) {
    slam::take_matrix(bytes, pair.source);
    slam::take_matrix(bytes, pair.target);
  }
  for (LoopDetail::PlanePair& pair : detail.planes)
    for (PatchCorners* corners : {&pair.source, &pair.target})
      for (Eigen::Vector3f& corner : *corners) slam::take_matrix(bytes, corner);
  return detail;
}

}  // namespace parte::apps
