#pragma once

#include <datasets/pair_list.hpp>
#include <datasets/scan_io.hpp>
#include <parte/registration.hpp>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

/// Real recordings are not part of the project: $PARTE_TEST_DATA says where they are, else ../shared/data.
inline std::filesystem::path data_root() {
  if (const char* root = std::getenv("PARTE_TEST_DATA"); root != nullptr) return root;
  return std::filesystem::path(PARTE_SOURCE_DIR).parent_path() / "shared" / "data";
}

#define REQUIRE_REAL_DATA()                            \
  if (!std::filesystem::exists(data_root() / "lists")) \
  SKIP("no real data at " << data_root() << " (set PARTE_TEST_DATA)")

/// Registers real scans; the features of a scan are extracted once.
class RealScans {
 public:
  explicit RealScans(const parte::Options& options) : registration_(options) {}
  /// KITTI's at the paper's settings, once for all tests.
  static RealScans& kitti() {
    static RealScans scans(parte::Options::lidar(0.3));
    return scans;
  }
  const parte::Features& features(const std::string& path) {
    auto it = features_.find(path);
    if (it == features_.end())
      it = features_.emplace(path, registration_.extract(parte::datasets::read_scan(path))).first;
    return it->second;
  }
  parte::Result align(const std::string& source, const std::string& target) {
    return registration_.align(features(source), features(target));
  }
  [[nodiscard]] const parte::Registration& registration() const { return registration_; }

 private:
  parte::Registration registration_;
  std::map<std::string, parte::Features> features_;
};

inline std::vector<parte::datasets::Pair> kitti_pairs(const std::string& list) {
  return parte::datasets::read_kitti_pairs(data_root() / "lists" / list, data_root() / "kitti");
}

inline std::string kitti_scan(int sequence, int frame) {
  char name[64];
  std::snprintf(name, sizeof name, "sequences/%02d/velodyne/%06d.bin", sequence, frame);
  return (data_root() / "kitti" / name).string();
}

/// The success criterion of the paper's Table "Datasets and evaluation protocols".
inline bool is_right(const Eigen::Isometry3d& estimate, const Eigen::Isometry3d& truth, double max_deg, double max_m) {
  const double angle = Eigen::AngleAxisd(truth.linear().transpose() * estimate.linear()).angle();
  return angle * 180.0 / EIGEN_PI <= max_deg && (estimate.translation() - truth.translation()).norm() <= max_m;
}
