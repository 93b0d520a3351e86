#include <datasets/world/world.hpp>

#include <datasets/world/presets.hpp>
#include <parte/require.hpp>

#include <array>
#include <stdexcept>
#include <string>

namespace parte::datasets {
namespace {

constexpr std::array<std::pair<std::string_view, Preset>, 8> kPresets{{{"town", Preset::town},
                                                                       {"reverse", Preset::reverse},
                                                                       {"highway", Preset::highway},
                                                                       {"forest", Preset::forest},
                                                                       {"indoor", Preset::indoor},
                                                                       {"circuit", Preset::circuit},
                                                                       {"circuit_reverse", Preset::circuit_reverse},
                                                                       {"ambiguous", Preset::ambiguous}}};

}  // namespace

std::string_view to_string(Preset preset) {
  for (const auto& [name, value] : kPresets)
    if (value == preset) return name;
  return "unknown";
}

Preset preset_named(std::string_view name) {
  std::string known;
  for (const auto& [candidate, preset] : kPresets) {
    if (candidate == name) return preset;
    (known += ' ') += candidate;
  }
  throw std::invalid_argument("there is no world \"" + std::string(name) + "\"; choose one of" + known);
}

World make_world(Preset preset, std::uint64_t seed, double length_m) {
  require(length_m >= 1000.0 && length_m <= 4000.0, "the length of a drive must lie in 1000 to 4000 m");
  switch (preset) {
    case Preset::town:
      return make_town(seed, false);
    case Preset::reverse:
      return make_town(seed, true);
    case Preset::highway:
      return make_highway(seed);
    case Preset::forest:
      return make_forest(seed);
    case Preset::circuit:
      return make_circuit(seed, length_m, false);
    case Preset::circuit_reverse:
      return make_circuit(seed, length_m, true);
    case Preset::ambiguous:
      return make_ambiguous(seed, length_m);
    case Preset::indoor:
      break;
  }
  throw std::invalid_argument("the indoor world has no drive");
}

}  // namespace parte::datasets
