#include <apps/slam_journal.hpp>

#include <datasets/file.hpp>
#include <datasets/io_error.hpp>
#include <slam/state_bytes.hpp>

#include <fstream>

#include <nlohmann/json.hpp>

namespace parte::apps {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using slam::put;
using slam::take;

template <class Derived>
Json numbers(const Eigen::DenseBase<Derived>& matrix) {
  Json json = Json::array();
  for (Eigen::Index i = 0; i < matrix.size(); ++i) json.push_back(matrix.derived().data()[i]);
  return json;
}

template <class Matrix>
void assign(Matrix& matrix, const Json& json) {
  if (json.size() != static_cast<std::size_t>(matrix.size())) throw std::invalid_argument("a matrix has another size");
  for (Eigen::Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = json[static_cast<std::size_t>(i)].get<double>();
}

Json to_json(const FrameRecord& f) {
  return {{"motion", numbers(f.motion.matrix())}, {"covariance", numbers(f.covariance)}, {"lost", f.lost}};
}

FrameRecord frame_of(const Json& json) {
  FrameRecord frame;
  assign(frame.motion.matrix(), json.at("motion"));
  assign(frame.covariance, json.at("covariance"));
  frame.lost = json.at("lost").get<bool>();
  return frame;
}

Json to_json(const JudgedAttempt& judged) {
  const slam::LoopAttempt& a = judged.attempt;
  return {{"from", a.from},
          {"to", a.to},
          {"look_alike", a.look_alike},
          {"detail", a.detail},
          {"expected_distance_m", a.expected_distance_m},
          {"unlikeness", a.unlikeness},
          {"verdict", static_cast<int>(a.verdict)},
          {"status", static_cast<int>(a.status)},
          {"T_from_to", numbers(a.T_from_to.matrix())},
          {"covariance", numbers(a.covariance)},
          {"odometry_chi2", a.odometry_chi2},
          {"odometry_gap", {a.odometry_gap_m, a.odometry_gap_deg}},
          {"odometry_sigma_m", a.odometry_sigma_m},
          {"evidence", a.evidence},
          {"clique_points", a.clique_points},
          {"clique_planes", a.clique_planes},
          {"clique_weight", a.clique_weight},
          {"proven_optimal", a.proven_optimal},
          {"hypotheses", a.hypotheses},
          {"residual_m", a.residual_m},
          {"overlap", a.overlap},
          {"agreement", a.agreement},
          {"sharpness", a.sharpness},
          {"confidence", a.confidence},
          {"members", a.members},
          {"rival", a.rival},
          {"free_direction", numbers(a.free_direction)},
          {"milliseconds", a.milliseconds},
          {"true_overlap", judged.true_overlap}};
}

JudgedAttempt attempt_of(const Json& json) {
  JudgedAttempt judged;
  slam::LoopAttempt& a = judged.attempt;
  json.at("from").get_to(a.from);
  json.at("to").get_to(a.to);
  json.at("look_alike").get_to(a.look_alike);
  json.at("detail").get_to(a.detail);
  json.at("expected_distance_m").get_to(a.expected_distance_m);
  json.at("unlikeness").get_to(a.unlikeness);
  a.verdict = static_cast<slam::LoopVerdict>(json.at("verdict").get<int>());
  a.status = static_cast<Status>(json.at("status").get<int>());
  assign(a.T_from_to.matrix(), json.at("T_from_to"));
  assign(a.covariance, json.at("covariance"));
  json.at("odometry_chi2").get_to(a.odometry_chi2);
  json.at("odometry_gap").at(0).get_to(a.odometry_gap_m);
  json.at("odometry_gap").at(1).get_to(a.odometry_gap_deg);
  json.at("odometry_sigma_m").get_to(a.odometry_sigma_m);
  json.at("evidence").get_to(a.evidence);
  json.at("clique_points").get_to(a.clique_points);
  json.at("clique_planes").get_to(a.clique_planes);
  json.at("clique_weight").get_to(a.clique_weight);
  json.at("proven_optimal").get_to(a.proven_optimal);
  json.at("hypotheses").get_to(a.hypotheses);
  json.at("residual_m").get_to(a.residual_m);
  json.at("overlap").get_to(a.overlap);
  json.at("agreement").get_to(a.agreement);
  json.at("sharpness").get_to(a.sharpness);
  json.at("confidence").get_to(a.confidence);
  json.at("members").get_to(a.members);
  json.at("rival").get_to(a.rival);
  assign(a.free_direction, json.at("free_direction"));
  json.at("milliseconds").get_to(a.milliseconds);
  json.at("true_overlap").get_to(judged.true_overlap);
  return judged;
}

Json to_json(const KeyframeRecord& k) {
  Json attempts = Json::array();
  for (const JudgedAttempt& a : k.attempts) attempts.push_back(to_json(a));
  return {{"frame", k.place.position}, {"center", numbers(k.place.center)}, {"attempts", attempts}};
}

KeyframeRecord keyframe_of(const Json& json) {
  KeyframeRecord keyframe;
  json.at("frame").get_to(keyframe.place.position);
  assign(keyframe.place.center, json.at("center"));
  for (const Json& a : json.at("attempts")) keyframe.attempts.push_back(attempt_of(a));
  return keyframe;
}

/// What JSON would blow up.
void put_points(std::string& bytes, const KeyframeRecord& k) {
  const Eigen::MatrixXf& heights = k.place.descriptor.heights;
  put(bytes, heights.rows());
  put(bytes, heights.cols());
  for (Eigen::Index i = 0; i < heights.size(); ++i) put(bytes, heights.data()[i]);
  put(bytes, k.map_points.size());
  for (const Eigen::Vector3f& p : k.map_points)
    for (int axis = 0; axis < 3; ++axis) put(bytes, p[axis]);
  for (const JudgedAttempt& a : k.attempts) put_detail(bytes, a.detail);
}

void take_points(std::string_view& bytes, KeyframeRecord& k) {
  const auto rows = take<Eigen::Index>(bytes), cols = take<Eigen::Index>(bytes);
  if (rows < 0 || cols < 0 || rows > 10'000 || cols > 10'000) throw std::invalid_argument("a descriptor is damaged");
  Eigen::MatrixXf heights(rows, cols);
  for (Eigen::Index i = 0; i < heights.size(); ++i) heights.data()[i] = take<float>(bytes);
  if (heights.size() > 0) k.place.descriptor = slam::descriptor_of(std::move(heights));
  const auto count = take<std::size_t>(bytes);
  if (count > bytes.size()) throw std::invalid_argument("a number of points is damaged");
  k.map_points.resize(count);
  for (Eigen::Vector3f& p : k.map_points)
    for (int axis = 0; axis < 3; ++axis) p[axis] = take<float>(bytes);
  for (JudgedAttempt& a : k.attempts) a.detail = take_detail(bytes);
}

void append(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file << bytes << std::flush;
  if (!file) throw datasets::IoError(path, datasets::Place::whole_file(), "cannot be written; is the disk full?");
}

/// Only the bytes that a checkpoint vouches for.
std::string read_upto(const fs::path& path, std::size_t size) {
  if (fs::file_size(path) < size)
    throw datasets::IoError(path, datasets::Place::whole_file(), "is shorter than its checkpoint says");
  fs::resize_file(path, size);
  return datasets::read_file(path);
}

[[noreturn]] void cannot_go_on(const fs::path& folder, const std::exception& error) {
  throw datasets::IoError(
      folder, datasets::Place::whole_file(),
      std::string("the interrupted run cannot go on (") + error.what() + "); --overwrite begins anew");
}

}  // namespace

bool SlamJournal::exists() const { return fs::exists(folder_ / "checkpoint"); }

double SlamJournal::voxel() const try {
  const std::string checkpoint = datasets::read_file(folder_ / "checkpoint");
  return Json::parse(checkpoint.substr(0, checkpoint.find('\n'))).at("voxel").get<double>();
} catch (const datasets::IoError&) {
  throw;
} catch (const std::exception& error) {
  cannot_go_on(folder_, error);
}

void SlamJournal::resume(SlamReplay& run) try {
  const std::string checkpoint = datasets::read_file(folder_ / "checkpoint");
  const std::size_t end = checkpoint.find('\n');
  const Json head = Json::parse(checkpoint.substr(0, end));
  const std::string journal = read_upto(folder_ / "journal.jsonl", head.at("journal_bytes").get<std::size_t>());
  const std::string points = read_upto(folder_ / "points.bin", head.at("points_bytes").get<std::size_t>());
  std::vector<FrameRecord> frames;
  std::vector<KeyframeRecord> keyframes;
  std::string_view lines = journal, rest = points;
  while (!lines.empty()) {
    const std::size_t length = lines.find('\n');
    const Json line = Json::parse(lines.substr(0, length));
    lines.remove_prefix(length == lines.npos ? lines.size() : length + 1);
    if (line.contains("motion")) {
      frames.push_back(frame_of(line));
    } else {
      keyframes.push_back(keyframe_of(line));
      take_points(rest, keyframes.back());
    }
  }
  if (frames.size() != head.at("frames").get<std::size_t>()) throw std::invalid_argument("frames are missing");
  frames_ = frames.size();
  keyframes_ = keyframes.size();
  const Json& times = head.at("times_ms");
  run.times = {times.at(0), times.at(1), times.at(2), times.at(3)};
  run.restore(std::move(frames), std::move(keyframes), std::string_view(checkpoint).substr(end + 1));
} catch (const datasets::IoError&) {
  throw;
} catch (const std::exception& error) {
  cannot_go_on(folder_, error);
}

void SlamJournal::checkpoint(const SlamReplay& run) {
  fs::create_directories(folder_);
  std::string journal, points;
  for (; frames_ < run.frames.size(); ++frames_) journal += to_json(run.frames[frames_]).dump() + "\n";
  for (; keyframes_ < run.keyframes.size(); ++keyframes_) {
    journal += to_json(run.keyframes[keyframes_]).dump() + "\n";
    put_points(points, run.keyframes[keyframes_]);
  }
  append(folder_ / "journal.jsonl", journal);
  append(folder_ / "points.bin", points);
  const StageTimes& t = run.times;
  const Json head = {{"voxel", run.voxel()},
                     {"frames", frames_},
                     {"journal_bytes", fs::file_size(folder_ / "journal.jsonl")},
                     {"points_bytes", fs::file_size(folder_ / "points.bin")},
                     {"times_ms", {t.odometry_ms, t.extract_ms, t.loops_ms, t.rebuild_ms}}};
  datasets::write_file(folder_ / "checkpoint", head.dump() + "\n" + run.odometry_state());
}

/// Only what is ours, and the folder if nothing else is in it.
void SlamJournal::remove() {
  for (const char* name : {"checkpoint", "journal.jsonl", "points.bin"}) fs::remove(folder_ / name);
  std::error_code not_empty;
  fs::remove(folder_, not_empty);
  frames_ = keyframes_ = 0;
}

}  // namespace parte::apps
