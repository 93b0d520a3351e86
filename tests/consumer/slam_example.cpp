#include <slam/pose3.hpp>

int main() {
  const Eigen::Isometry3d transform(Eigen::Translation3d(1.0, 2.0, 3.0));
  return parte::slam::to_pose3(transform).x() == 1.0 ? 0 : 1;
}
