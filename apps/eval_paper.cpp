// What the PARTE paper (CITATION.cff) reports, number by number: its tables on indoor, KITTI-10m, KITTI-LC, RESSO and
// ETH registration and on plane matching.
#include <apps/eval_plane_table.hpp>
#include <apps/eval_table.hpp>

#include <datasets/text.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace parte::apps {
namespace {

struct Row {
  std::string_view method, values;  ///< "--": not given
};

// SR, ATE, ARE, time of 3DMatch, then of 3DLoMatch.
constexpr std::array<Row, 15> kIndoor = {{
    {"RANSAC-1e3", "59.8 9.5 3.4 63.4 15.8 13.5 5.0 58.7"},
    {"RANSAC-1e5", "85.6 8.4 2.8 70.8 45.8 13.2 4.5 70.3"},
    {"RANSAC-1e7", "87.7 8.4 2.8 120.2 50.9 13.0 4.4 282.7"},
    {"FGR", "80.3 6.8 2.2 92.3 22.6 10.7 3.7 67.2"},
    {"KISS-Matcher", "75.5 8.7 2.9 110.8 26.8 13.0 4.5 26.4"},
    {"CLIPPER+", "85.9 7.0 2.3 117.5 44.7 11.4 3.9 130.1"},
    {"TEASER++", "86.6 7.1 2.3 77.7 48.0 11.6 3.9 64.5"},
    {"MAC", "88.0 6.8 2.1 112.4 52.4 11.6 3.7 85.3"},
    {"PointDSC", "85.5 6.6 2.1 72.2 41.5 11.0 3.6 65.4"},
    {"VBReg", "89.4 6.8 2.1 102.8 53.5 11.6 3.7 94.0"},
    {"PREDATOR", "92.1 7.4 2.3 95.7 61.0 11.0 3.7 82.0"},
    {"VPFBR", "26.5 13.0 2.9 28.8 2.8 16.3 3.7 26.4"},
    {"PLADE", "34.4 8.2 2.0 1664.7 7.3 14.2 3.2 1292.1"},
    {"G3Reg", "4.8 14.2 6.2 35.1 0.0 -- -- 42.9"},
    {"PARTE", "89.6 6.2 1.8 59.4 55.8 10.8 3.4 56.8"},
}};

// SR of 08, 09, 10 and all, then their times.
constexpr std::array<Row, 16> kKitti10m = {{
    {"RANSAC-1e3", "4.9 16.7 17.2 10.3 419.2 432.1 287.0 402.3"},
    {"RANSAC-1e5", "89.3 94.4 94.3 91.5 434.2 446.4 300.0 416.7"},
    {"RANSAC-1e7", "97.4 100.0 97.7 98.2 594.3 562.0 367.1 549.3"},
    {"FGR", "22.5 34.0 37.9 28.2 480.1 506.6 345.7 466.8"},
    {"KISS-Matcher", "97.1 98.8 94.3 97.1 98.8 107.1 78.4 98.0"},
    {"CLIPPER+", "98.0 99.4 100.0 98.7 800.1 1487.3 632.3 974.1"},
    {"TEASER++", "98.0 100.0 100.0 98.9 534.3 574.1 367.4 519.8"},
    {"QUATRO", "99.0 98.1 95.4 98.2 345.2 359.6 242.1 333.3"},
    {"MAC", "97.1 100.0 100.0 98.4 1967.2 2053.1 1433.8 1908.7"},
    {"PointDSC", "96.1 100.0 98.9 97.7 441.6 457.0 303.5 424.5"},
    {"VBReg", "96.7 98.8 97.7 97.5 514.1 538.2 356.1 496.4"},
    {"PREDATOR", "99.7 100.0 100.0 99.8 564.5 579.2 465.7 553.3"},
    {"VPFBR", "34.5 30.2 24.1 31.7 186.7 143.1 125.6 165.5"},
    {"PLADE", "2.0 0.0 0.0 1.1 799.9 730.6 691.1 762.7"},
    {"G3Reg", "99.0 98.8 100.0 99.1 90.1 85.1 85.9 88.0"},
    {"PARTE", "99.7 100.0 100.0 99.8 182.9 188.3 141.5 178.0"},
}};

// SR of 00, 02, 05, 06, 08 at 0-10, 10-20, 20-30 m and all; then the time.
constexpr std::array<Row, 16> kKittiLc = {{
    {"RANSAC-1e3", "45.9 44.8 31.8 38.8 17.2 3.8 3.5 2.0 1.6 0.6 0.0 0.0 0.0 0.0 0.0 14.8 14.2 10.1 8.5 5.0 360.1"},
    {"RANSAC-1e5",
     "99.3 90.7 99.4 100.0 94.0 47.5 41.4 38.7 46.6 32.7 2.9 7.2 2.3 9.9 2.2 46.2 42.8 43.3 42.9 38.0 376.9"},
    {"RANSAC-1e7",
     "100.0 90.7 100.0 100.0 100.0 71.0 60.1 71.4 95.2 80.2 16.5 26.9 13.7 47.6 9.2 59.3 56.5 58.6 77.2 58.4 1073.8"},
    {"FGR", "59.4 39.0 49.4 69.8 3.7 3.5 1.5 0.5 0.8 0.0 0.0 0.0 0.0 0.0 0.0 18.7 11.8 14.8 14.6 1.0 410.9"},
    {"KISS-Matcher",
     "100.0 88.4 99.4 100.0 100.0 58.7 55.1 58.8 71.7 71.0 8.9 10.8 6.4 14.7 5.4 52.4 48.1 51.5 54.7 53.8 101.1"},
    {"CLIPPER+",
     "100.0 92.4 100.0 100.0 100.0 78.0 57.1 79.9 98.0 88.9 18.6 22.0 14.2 61.9 17.8 62.4 54.1 61.6 84.0 64.7 2574.9"},
    {"TEASER++",
     "100.0 93.0 100.0 100.0 100.0 81.5 61.6 86.4 99.2 95.7 25.7 30.9 21.0 75.4 26.5 66.2 59.2 66.3 89.9 70.3 494.7"},
    {"QUATRO",
     "99.0 100.0 100.0 100.0 100.0 93.8 81.8 95.5 98.8 98.1 52.2 46.6 52.1 94.0 61.1 79.9 73.9 80.8 97.2 84.4 304.3"},
    {"MAC",
     "100.0 91.3 100.0 100.0 100.0 77.1 60.1 78.9 96.8 88.3 21.5 31.8 19.2 57.9 17.3 63.2 58.5 63.1 82.0 64.2 1721.4"},
    {"PointDSC",
     "100.0 89.5 100.0 100.0 100.0 65.1 47.5 66.3 92.8 67.9 9.4 12.1 9.6 37.3 5.4 54.7 46.4 55.4 72.2 52.8 414.3"},
    {"VBReg",
     "100.0 87.8 100.0 100.0 100.0 78.3 54.0 81.4 96.4 81.5 21.8 24.7 15.5 40.9 13.0 63.7 52.8 62.6 75.0 60.3 465.1"},
    {"PREDATOR",
     "71.0 61.6 75.6 98.4 73.1 31.7 21.2 28.1 17.9 14.2 3.1 1.8 1.8 1.6 0.0 32.7 25.6 32.5 27.8 25.2 366.3"},
    {"VPFBR",
     "90.1 37.2 81.8 48.1 46.3 65.7 10.1 52.3 24.3 30.9 24.7 4.9 23.3 7.9 18.4 57.7 16.0 50.3 22.6 30.4 154.7"},
    {"PLADE", "17.8 0.6 4.5 7.8 0.7 2.9 0.5 0.5 1.2 0.6 2.4 0.0 0.0 0.4 0.0 7.1 0.3 1.5 2.2 0.4 878.0"},
    {"G3Reg",
     "100.0 91.9 100.0 97.7 100.0 96.8 67.2 97.5 100.0 98.8 58.3 52.0 73.5 99.2 76.8 83.4 68.6 89.4 99.2 90.6 96.5"},
    {"PARTE",
     "100.0 100.0 100.0 100.0 100.0 93.0 85.9 97.0 100.0 98.1 56.2 55.2 57.5 96.8 68.1 81.4 78.4 83.3 98.7 87.1 127.1"},
}};

// SR of 6a, 6b, 6c, 6d, 6f, 6g, 6h and all; then the time.
constexpr std::array<Row, 15> kResso = {{
    {"RANSAC-1e3", "0.0 15.8 0.0 13.3 10.0 0.0 0.0 6.1 348.8"},
    {"RANSAC-1e5", "23.1 47.4 36.8 53.3 30.0 0.0 28.6 34.3 358.1"},
    {"RANSAC-1e7", "76.9 47.4 42.1 73.3 80.0 0.0 57.1 54.5 727.1"},
    {"FGR", "23.1 21.1 31.6 53.3 20.0 0.0 28.6 27.3 362.7"},
    {"KISS-Matcher", "61.5 31.6 31.6 73.3 60.0 11.1 28.6 42.4 213.5"},
    {"CLIPPER+", "76.9 52.6 42.1 80.0 70.0 33.3 57.1 58.6 707.9"},
    {"TEASER++", "69.2 47.4 47.4 86.7 70.0 22.2 50.0 56.6 385.2"},
    {"QUATRO", "0.0 0.0 47.4 6.7 0.0 0.0 0.0 10.1 385.1"},
    {"MAC", "76.9 52.6 42.1 80.0 80.0 11.1 57.1 57.6 549.9"},
    {"PointDSC", "53.8 47.4 36.8 73.3 60.0 11.1 42.9 47.5 380.3"},
    {"VBReg", "76.9 52.6 42.1 80.0 80.0 11.1 57.1 57.6 443.7"},
    {"PREDATOR", "0.0 21.1 26.3 6.7 0.0 0.0 0.0 10.1 392.3"},
    {"VPFBR", "30.8 0.0 5.3 20.0 0.0 11.1 7.1 10.1 166.3"},
    {"PLADE", "0.0 0.0 10.5 13.3 0.0 11.1 0.0 5.1 6617.7"},
    {"PARTE", "76.9 57.9 42.1 66.7 70.0 55.6 57.1 59.6 315.8"},
}};

// SR of Gazebo summer and winter, Wood autumn and summer, and all; then the time.
constexpr std::array<Row, 16> kEth = {{
    {"RANSAC-1e3", "26.6 9.0 3.5 7.2 12.3 872.4"},
    {"RANSAC-1e5", "78.3 54.3 65.2 60.0 63.3 892.9"},
    {"RANSAC-1e7", "98.4 77.5 95.7 96.0 89.1 1373.7"},
    {"FGR", "60.9 36.7 71.3 74.4 55.1 935.1"},
    {"KISS-Matcher", "95.1 82.4 95.7 93.6 89.8 226.7"},
    {"CLIPPER+", "99.5 89.3 99.1 95.2 94.5 4266.4"},
    {"TEASER++", "100.0 86.5 98.3 98.4 94.0 1078.3"},
    {"QUATRO", "87.5 95.2 68.7 81.6 86.5 1479.3"},
    {"MAC", "98.4 76.5 93.9 89.6 87.2 7521.2"},
    {"PointDSC", "91.8 79.2 81.7 76.8 82.5 905.0"},
    {"VBReg", "96.7 89.3 89.6 84.8 90.5 1015.4"},
    {"PREDATOR", "53.3 64.0 71.3 72.8 64.0 1657.8"},
    {"VPFBR", "33.7 14.9 4.3 5.6 16.4 125.9"},
    {"PLADE", "4.9 5.9 2.6 3.2 4.6 708.9"},
    {"G3Reg", "29.9 20.1 47.8 52.0 32.7 161.9"},
    {"PARTE", "100.0 99.0 100.0 100.0 99.6 437.6"},
}};

// F1, AP and right matches a pair, of 3DLoMatch, 3DMatch, KITTI-10m, KITTI-LC, ETH and RESSO.
constexpr std::array<Row, 16> kPlanes = {{
    {"Perimeter", "0.15 0.08 0.26 0.31 0.21 0.83 0.16 0.08 0.78 0.10 0.05 0.69 0.65 0.48 0.90 0.05 0.02 0.21"},
    {"Area", "0.15 0.08 0.27 0.32 0.21 0.84 0.13 0.08 0.66 0.08 0.05 0.59 0.66 0.51 0.90 0.05 0.02 0.19"},
    {"Angular Spin", "0.13 0.08 0.19 0.24 0.19 0.54 0.12 0.09 0.50 0.07 0.05 0.42 0.25 0.14 0.22 0.06 0.03 0.20"},
    {"Spin Image", "0.12 0.09 0.19 0.27 0.23 0.64 0.17 0.12 0.75 0.11 0.07 0.66 0.69 0.68 0.91 0.08 0.03 0.27"},
    {"USC", "0.17 0.10 0.19 0.29 0.27 0.55 0.14 0.13 0.42 0.09 0.08 0.36 0.64 0.60 0.68 0.06 0.04 0.15"},
    {"3DSC", "0.15 0.12 0.19 0.36 0.32 0.74 0.25 0.19 0.99 0.16 0.11 0.86 0.72 0.77 0.91 0.05 0.04 0.14"},
    {"OUR-CVFH", "0.22 0.14 0.36 0.47 0.42 1.21 0.26 0.20 1.23 0.17 0.12 1.13 0.46 0.35 0.40 0.12 0.05 0.41"},
    {"CVFH", "0.22 0.15 0.36 0.47 0.42 1.21 0.26 0.19 1.22 0.16 0.12 1.08 0.76 0.82 1.02 0.13 0.06 0.48"},
    {"GRSD", "0.09 0.07 0.15 0.16 0.14 0.39 0.09 0.06 0.41 0.05 0.04 0.34 0.57 0.40 0.72 0.03 0.02 0.11"},
    {"VFH", "0.22 0.14 0.38 0.46 0.41 1.20 0.23 0.17 1.12 0.15 0.10 1.02 0.77 0.82 1.02 0.11 0.05 0.42"},
    {"GASD", "0.11 0.08 0.18 0.29 0.24 0.69 0.20 0.13 0.81 0.13 0.08 0.71 0.68 0.65 0.90 0.09 0.04 0.31"},
    {"ESF", "0.15 0.10 0.26 0.32 0.29 0.82 0.21 0.15 1.01 0.15 0.10 0.98 0.64 0.63 0.82 0.10 0.04 0.35"},
    {"SegMatch", "0.15 0.09 0.24 0.32 0.24 0.83 0.22 0.14 1.05 0.14 0.07 0.97 0.66 0.56 0.83 0.08 0.04 0.28"},
    {"GEM", "0.16 0.08 0.28 0.35 0.23 0.89 0.23 0.12 1.11 0.15 0.06 1.05 0.71 0.44 0.96 0.09 0.05 0.35"},
    {"PCH", "0.43 0.26 0.74 0.79 0.72 2.23 0.59 0.44 2.91 0.42 0.30 2.76 0.76 0.66 1.04 0.31 0.18 1.07"},
    {"PCH-2L", "0.46 0.34 0.77 0.80 0.77 2.24 0.66 0.54 3.17 0.48 0.33 3.00 0.76 0.72 1.04 0.32 0.18 1.09"},
}};

using enum Quantity;

std::vector<Column> columns_of(std::initializer_list<const char*> bins, std::initializer_list<const char*> groups,
                               Quantity quantity) {
  std::vector<Column> columns;
  for (const char* bin : bins)
    for (const char* group : groups) columns.push_back({bin, group, quantity});
  return columns;
}

const Column kTime{"", "", time_ms};

std::vector<Column> with(std::vector<Column> columns, const std::vector<Column>& more) {
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

/// The values of these columns, which begin at the `first` one of the printed table.
std::vector<PublishedRow> rows_of(std::span<const Row> rows, const std::vector<Column>& columns,
                                  std::size_t first = 0) {
  std::vector<PublishedRow> published;
  for (const Row& row : rows) {
    const std::vector<std::string_view> words = datasets::split(row.values);
    PublishedRow& p = published.emplace_back();
    p.method = row.method;
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (const auto value = datasets::parse_number<double>(words.at(first + k))) p.values[columns[k]] = *value;
  }
  return published;
}

}  // namespace

std::vector<PublishedRow> published_rows(const std::string& benchmark) {
  const std::vector<Column> indoor = {{"", "", success_percent}, {"", "", ate_cm}, {"", "", are_deg}, kTime};
  if (benchmark == "3DMatch") return rows_of(kIndoor, indoor);
  if (benchmark == "3DLoMatch") return rows_of(kIndoor, indoor, indoor.size());
  if (benchmark == "KITTI-10m")
    return rows_of(kKitti10m, with(columns_of({""}, {"08", "09", "10", ""}, success_percent),
                                   columns_of({""}, {"08", "09", "10", ""}, time_ms)));
  if (benchmark == "KITTI-LC")
    return rows_of(kKittiLc, with(columns_of({"0-10 m", "10-20 m", "20-30 m", ""}, {"00", "02", "05", "06", "08"},
                                             success_percent),
                                  {kTime}));
  if (benchmark == "RESSO")
    return rows_of(kResso,
                   with(columns_of({""}, {"6a", "6b", "6c", "6d", "6f", "6g", "6h", ""}, success_percent), {kTime}));
  if (benchmark == "ETH")
    return rows_of(kEth, with(columns_of({""}, {"gazebo_summer", "gazebo_winter", "wood_autumn", "wood_summer", ""},
                                         success_percent),
                              {kTime}));
  return {};
}

std::vector<PublishedPlanes> published_planes(const std::string& benchmark) {
  constexpr std::array<std::string_view, 6> kOrder = {"3DLoMatch", "3DMatch", "KITTI-10m", "KITTI-LC", "ETH", "RESSO"};
  const auto place = static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), benchmark) - kOrder.begin());
  std::vector<PublishedPlanes> published;
  if (place == kOrder.size()) return published;
  for (const Row& row : kPlanes) {
    const std::vector<std::string_view> words = datasets::split(row.values);
    const auto value = [&](std::size_t k) { return datasets::parse_number<double>(words.at(3 * place + k)).value(); };
    published.push_back({std::string(row.method), value(0), value(1), value(2)});
  }
  return published;
}

}  // namespace parte::apps
