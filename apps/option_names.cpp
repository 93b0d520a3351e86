#include <apps/option_names.hpp>

#include <datasets/text.hpp>

#include <array>
#include <functional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace parte::apps {
namespace {

void add_word(std::string& text, std::string_view word, std::string_view separator) {
  if (!text.empty()) text.append(separator);
  text.append(word);
}

template <class Enum>
using Words = std::vector<std::pair<std::string_view, Enum>>;

const Words<bool>& words_of(bool) {
  static const Words<bool> words = {{"true", true}, {"false", false}};
  return words;
}
const Words<Sensor>& words_of(Sensor) {
  static const Words<Sensor> words = {{"lidar", Sensor::lidar}, {"rgbd", Sensor::rgbd}};
  return words;
}
const Words<PlaneWeights>& words_of(PlaneWeights) {
  static const Words<PlaneWeights> words = {
      {"confidence", PlaneWeights::confidence}, {"fixed", PlaneWeights::fixed}, {"none", PlaneWeights::none}};
  return words;
}
const Words<PlaneMatching>& words_of(PlaneMatching) {
  static const Words<PlaneMatching> words = {{"two_level", PlaneMatching::two_level},
                                             {"one_level", PlaneMatching::one_level}};
  return words;
}

template <class T>
constexpr bool kIsNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class T>
std::string text_of(const T& value) {
  std::string text;
  if constexpr (kIsNumber<T>) {
    datasets::append_number(text, value);
  } else {
    for (const auto& [word, meaning] : words_of(value))
      if (meaning == value) text = word;
  }
  return text;
}

/// Nothing but true if the text can be a value.
template <class T>
bool parse(std::string_view text, T& value) {
  if constexpr (kIsNumber<T>) {
    const auto number = datasets::parse_number<T>(text);
    if (number) value = *number;
    return number.has_value();
  } else {
    for (const auto& [word, meaning] : words_of(value))
      if (word == text) return value = meaning, true;
    return false;
  }
}

template <class T>
std::string values_of(const T& value) {
  if constexpr (kIsNumber<T>) return std::is_integral_v<T> ? "a whole number" : "a number";
  std::string text;
  if constexpr (!kIsNumber<T>)
    for (const auto& [word, meaning] : words_of(value)) add_word(text, word, ", ");
  return text;
}

enum class Use { features, alignment };

/// Calls visit(name, field, use) for every field, in the order of the structure.
template <class Opts, class Visit>
void for_each_field(Opts& o, const Visit& visit) {
  using enum Use;
  visit("voxel", o.voxel, features);
  visit("sensor", o.sensor, features);
  visit("normal_radius", o.normal_radius, features);
  visit("normal_max_neighbors", o.normal_max_neighbors, features);
  visit("plane_thickness", o.plane_thickness, features);
  visit("plane_dispersion", o.plane_dispersion, features);
  visit("plane_min_points", o.plane_min_points, features);
  visit("fpfh_radius", o.fpfh_radius, features);
  visit("fpfh_max_neighbors", o.fpfh_max_neighbors, features);
  visit("pch_half_range", o.pch_half_range, features);
  visit("spatial_tolerance", o.spatial_tolerance, features);          // of coplanar patches
  visit("angular_tolerance_deg", o.angular_tolerance_deg, features);  // the same
  visit("plane_weight", o.plane_weight, alignment);
  visit("use_planes", o.use_planes, features);
  visit("use_ground", o.use_ground, features);
  visit("use_patches", o.use_patches, features);
  visit("orient_normals", o.orient_normals, features);
  visit("plane_weights", o.plane_weights, alignment);
  visit("plane_matching", o.plane_matching, alignment);
  visit("ground.cell", o.ground.cell, features);
  visit("ground.tolerance", o.ground.tolerance, features);
  visit("ground.max_slope_deg", o.ground.max_slope_deg, features);
  visit("ground.max_bend_deg", o.ground.max_bend_deg, features);
  visit("ground.max_step", o.ground.max_step, features);
  visit("ground.min_points", o.ground.min_points, features);
  visit("clique.max_work", o.clique.max_work, alignment);
  visit("clique.time_limit_s", o.clique.time_limit_s, alignment);
  visit("verification.enabled", o.verification.enabled, alignment);
  visit("verification.refine", o.verification.refine, alignment);
  visit("verification.max_hypotheses", o.verification.max_hypotheses, alignment);
  visit("verification.max_refined", o.verification.max_refined, alignment);
  visit("verification.radius", o.verification.radius, features);  // of the grid of surfaces
  visit("verification.min_agreement", o.verification.min_agreement, alignment);
  visit("verification.min_sharpness", o.verification.min_sharpness, alignment);
  visit("verification.min_overlap", o.verification.min_overlap, alignment);
  visit("max_points", o.max_points, features);
  visit("max_correspondences", o.max_correspondences, alignment);
}

}  // namespace

void set_option(Options& options, std::string_view name, std::string_view value) {
  bool known = false;
  for_each_field(options, [&](const char* field_name, auto& field, Use) {
    if (name != field_name) return;
    known = true;
    if (!parse(value, field))
      throw std::invalid_argument("option " + std::string(name) + " is " + values_of(field) + ", not " +
                                  datasets::quoted(value));
  });
  if (known) return;
  std::string names;
  for (const std::string& n : option_names()) add_word(names, n, ", ");
  throw std::invalid_argument("there is no option " + datasets::quoted(name) + "; there are " + names);
}

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  const Options defaults;
  for_each_field(defaults, [&](const char* name, const auto&, Use) { names.emplace_back(name); });
  return names;
}

std::string to_text(const Options& options, bool features_only) {
  std::string text;
  for_each_field(options, [&](const char* name, const auto& field, Use use) {
    if (features_only && use != Use::features) return;
    add_word(text, name, " ");
    text.append("=").append(text_of(field));
  });
  return text;
}

}  // namespace parte::apps
