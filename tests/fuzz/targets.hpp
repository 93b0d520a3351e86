#pragma once

#include <datasets/asl_csv.hpp>
#include <datasets/fragment_pairs.hpp>
#include <datasets/g2o.hpp>
#include <datasets/io_error.hpp>
#include <datasets/kitti.hpp>
#include <datasets/kitti_raw.hpp>
#include <datasets/pair_list.hpp>
#include <datasets/pcd.hpp>
#include <datasets/ply.hpp>
#include <datasets/resso.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/trajectory.hpp>
#include <datasets/xyz.hpp>

#include <cstdlib>
#include <string>

/// Every parser as a function of bytes. Its seeds are in corpus/<name>/, and a folder there makes the fuzzer
/// parte_fuzz_<name>.
struct FuzzTarget {
  const char* name;
  void (*parse)(const std::string& bytes);
};

namespace fuzz {

using namespace parte::datasets;

inline constexpr FuzzTarget kTargets[] = {
    {"3dmatch_pairs", [](const std::string& bytes) { (void)parse_3dmatch_pairs(bytes, "f", "root"); }},
    {"asl_overlaps", [](const std::string& bytes) { (void)parse_asl_overlaps(bytes, "f"); }},
    {"asl_poses", [](const std::string& bytes) { (void)parse_asl_poses(bytes, "f"); }},
    {"bin", [](const std::string& bytes) { (void)parse_bin(bytes, "f"); }},
    {"g2o", [](const std::string& bytes) { (void)parse_g2o(bytes, "f"); }},
    {"gt_info", [](const std::string& bytes) { (void)parse_gt_info(bytes, "f"); }},
    {"gt_log", [](const std::string& bytes) { (void)parse_gt_log(bytes, "f"); }},
    {"kitti_calib", [](const std::string& bytes) { (void)parse_kitti_calib(bytes, "f"); }},
    {"kitti_pairs", [](const std::string& bytes) { (void)parse_kitti_pairs(bytes, "f", "root"); }},
    {"kitti_poses", [](const std::string& bytes) { (void)parse_kitti_poses(bytes, "f"); }},
    {"kitti_raw_calib", [](const std::string& bytes) { (void)parse_kitti_raw_calib(bytes, "f"); }},
    {"kitti_times", [](const std::string& bytes) { (void)parse_kitti_times(bytes, "f"); }},
    {"kitti_timestamps", [](const std::string& bytes) { (void)parse_kitti_timestamps(bytes, "f"); }},
    {"oxts", [](const std::string& bytes) { (void)parse_oxts(bytes, "f"); }},
    {"pcd", [](const std::string& bytes) { (void)parse_pcd(bytes, "f"); }},
    {"ply", [](const std::string& bytes) { (void)parse_ply(bytes, "f"); }},
    {"resso", [](const std::string& bytes) { (void)parse_resso(bytes, "f"); }},
    {"trajectory", [](const std::string& bytes) { (void)parse_trajectory(bytes, "f"); }},
    {"tum", [](const std::string& bytes) { (void)parse_tum(bytes, "f"); }},
    {"xyz", [](const std::string& bytes) { (void)parse_xyz(bytes, "f"); }},
};

/// Whether the bytes are a file of that format. Only an IoError may say that they are not.
inline bool accepts(const FuzzTarget& target, const std::string& bytes) {
  try {
    target.parse(bytes);
    return true;
  } catch (const IoError&) {
    return false;
  }
}

}  // namespace fuzz
