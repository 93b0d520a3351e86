#include <apps/html_report.hpp>

#include <apps/report_template.hpp>
#include <datasets/file.hpp>

#include <cmath>
#include <stdexcept>
#include <string_view>

namespace parte::apps {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kPlaceholder = "__PARTE_REPORT_DATA__";

std::string empty_report() {
  std::string page;
  for (const std::string_view piece : report_template()) page += piece;
  return page;
}

}  // namespace

Json report_head(const std::string& kind, const std::string& title, const std::string& command) {
  return {{"kind", kind}, {"version", PARTE_VERSION}, {"title", title}, {"command", command}};
}

std::string report_data(const Json& report) {
  const std::string json = report.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<')  // only strings can have it
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

std::size_t empty_report_bytes() { return empty_report().size(); }

void write_report(const std::filesystem::path& folder, const Json& report) {
  std::string page = empty_report();
  const std::size_t place = page.find(kPlaceholder);
  if (place == page.npos || page.find(kPlaceholder, place + 1) != page.npos)
    throw std::logic_error("apps/report/template.html must have one place for the data");
  datasets::write_file(folder / "report.html", page.replace(place, kPlaceholder.size(), report_data(report)));
}

double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

Json rounded(const std::vector<double>& values, int decimals) {
  Json json = Json::array();
  for (const double value : values) json.push_back(rounded(value, decimals));
  return json;
}

Json matrix_json(const Eigen::Isometry3d& T) {
  Json json = Json::array();
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column) json.push_back(rounded(T(row, column), column == 3 ? 3 : 6));
  return json;
}

}  // namespace parte::apps
