#pragma once

#include <Eigen/Geometry>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// The page that a run leaves. What is in its data says apps/report/src/data.ts.
namespace parte::apps {

/// The fields that all kinds of pages have, first.
[[nodiscard]] nlohmann::ordered_json report_head(const std::string& kind, const std::string& title,
                                                 const std::string& command);

/// As it stands in the page. Nothing in it can end the element that it is in, or is not ASCII.
[[nodiscard]] std::string report_data(const nlohmann::ordered_json& report);

/// The page without data: bytes that every report has.
[[nodiscard]] std::size_t empty_report_bytes();

/// Writes report.html. Throws datasets::IoError.
void write_report(const std::filesystem::path& folder, const nlohmann::ordered_json& report);

/// With so many decimals: more would only make the page larger.
[[nodiscard]] double rounded(double value, int decimals);
[[nodiscard]] nlohmann::ordered_json rounded(const std::vector<double>& values, int decimals);
/// Row-major; the position to millimetres, the rotation to what moves a far point by less.
[[nodiscard]] nlohmann::ordered_json matrix_json(const Eigen::Isometry3d& T);

}  // namespace parte::apps
