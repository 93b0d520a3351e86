#include <tests/real/real_data.hpp>

#include <datasets/world/presets.hpp>
#include <datasets/world/sensors.hpp>

using namespace parte;

namespace {

struct Tally {
  int right = 0, right_accepted = 0, wrong_accepted = 0, all = 0;
};

/// Pairs with a right answer: is it given, and is it accepted?
void count_matching(const std::string& list, Tally& tally) {
  for (const auto& pair : kitti_pairs(list)) {
    const Result result = RealScans::kitti().align(pair.source, pair.target);
    const bool right = is_right(result.T_target_source, pair.T_target_source, 5.0, 2.0);
    tally.right += right ? 1 : 0;
    tally.right_accepted += right && result.success() ? 1 : 0;
    tally.wrong_accepted += !right && result.success() ? 1 : 0;
    ++tally.all;
  }
}

/// Pairs without one: whatever is accepted is wrong.
void count_hopeless(const std::vector<const Features*>& sources, const std::vector<const Features*>& targets,
                    Tally& tally) {
  for (const Features* source : sources)
    for (const Features* target : targets) {
      tally.wrong_accepted += RealScans::kitti().registration().align(*source, *target).success() ? 1 : 0;
      ++tally.all;
    }
}

std::vector<Features> synthetic_places(std::size_t count, std::uint64_t first_seed) {
  std::vector<Features> places;
  for (std::uint64_t k = 0; k < count; ++k) {
    const datasets::World street = datasets::make_street(first_seed + k);
    const auto pose = datasets::street_pose(street, 40.0 + 10.0 * static_cast<double>(k % 10), 0.0, 0.7 * k);
    places.push_back(
        RealScans::kitti().registration().extract(datasets::scan_lidar(datasets::RayTracer(street.mesh), pose)));
  }
  return places;
}

std::vector<const Features*> pointers(const std::vector<Features>& features) {
  std::vector<const Features*> all;
  for (const Features& f : features) all.push_back(&f);
  return all;
}

std::vector<const Features*> kitti_features(int sequence, int first, int last, int step) {
  std::vector<const Features*> all;
  for (int frame = first; frame <= last; frame += step)
    all.push_back(&RealScans::kitti().features(kitti_scan(sequence, frame)));
  return all;
}

}  // namespace

TEST_CASE("success means something: hardly a wrong transform is accepted, hardly a right one refused", "[real]") {
  REQUIRE_REAL_DATA();
  Tally tally;
  for (const char* list :
       {"dev_kitti_00_0_10.txt", "dev_kitti_00_10_20.txt", "dev_kitti_00_20_30.txt", "dev_kitti_loops.txt"})
    count_matching(list, tally);
  const int matching = tally.all;

  const auto town = kitti_features(0, 0, 198, 6), other_town = kitti_features(8, 720, 1500, 780);
  const std::vector<Features> streets = synthetic_places(3, 1000), one_side = synthetic_places(20, 2000),
                              other_side = synthetic_places(5, 3000);
  count_hopeless(town, other_town, tally);
  count_hopeless(town, kitti_features(5, 0, 9, 9), tally);
  count_hopeless(town, pointers(streets), tally);
  count_hopeless(pointers(one_side), pointers(other_side), tally);

  CAPTURE(tally.all, matching, tally.right, tally.right_accepted, tally.wrong_accepted);
  REQUIRE(tally.all - matching >= 300);
  CHECK(tally.wrong_accepted <= 0.005 * tally.all);
  // Of all pairs that match, not of those found: what is found beyond them must not count against it.
  CHECK(tally.right_accepted >= 0.98 * matching);
}
