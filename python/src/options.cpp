#include "options.hpp"

#include "values.hpp"

#include <map>
#include <optional>
#include <string>
#include <type_traits>

namespace parte::python {
namespace {

/// The number of threads as well, which is no concern of those who compare options.
template <class Opts, class Visit>
void for_each_argument(Opts& o, const Visit& visit) {
  for_each_option(o, visit);
  visit("threads", o.threads, OptionUse::alignment);
}

template <class Enum>
Enum word(const std::string& name, const py::handle& value) {
  std::string expected;
  for (const auto& [text, meaning] : option_words(Enum())) {
    if (value.equal(py::str(text.data(), text.size()))) return meaning;
    expected.append(expected.empty() ? "'" : " or '").append(text).append("'");
  }
  refuse_value(name, expected, value);
}

template <class T>
void assign(T& field, const std::string& name, const py::handle& value) {
  if constexpr (std::is_enum_v<T>)
    field = word<T>(name, value);
  else
    field = value_of<T>(name, value);
}

template <class T>
py::object to_python(const T& field) {
  if constexpr (std::is_arithmetic_v<T>) {
    return py::cast(field);
  } else {
    for (const auto& [text, meaning] : option_words(field))
      if (meaning == field) return py::str(text.data(), text.size());
    return py::none();
  }
}

/// Whether there are options whose names begin with `name` and a dot.
bool is_nested(const std::string& name) {
  bool found = false;
  const Options defaults;
  for_each_argument(defaults, [&](const std::string& known, const auto&, OptionUse) {
    found = found || known.starts_with(name + ".");
  });
  return found;
}

/// As UTF-8; what has none, such as half of a surrogate pair, as Python would write it.
std::string text_of(const py::handle& key) {
  const char* text = PyUnicode_Check(key.ptr()) ? PyUnicode_AsUTF8(key.ptr()) : nullptr;
  if (text != nullptr) return text;
  PyErr_Clear();
  return py::repr(key);
}

/// {"verification": {"refine": False}} as {"verification.refine": False}.
std::map<std::string, py::object> flattened(const py::kwargs& options) {
  std::map<std::string, py::object> flat;
  for (const auto& [key, value] : options) {
    const std::string name = text_of(key);
    if (!py::isinstance<py::dict>(value) || !is_nested(name)) {
      flat[name] = py::reinterpret_borrow<py::object>(value);
      continue;
    }
    for (const auto& [inner, setting] : py::reinterpret_borrow<py::dict>(value))
      flat[name + "." + text_of(inner)] = py::reinterpret_borrow<py::object>(setting);
  }
  return flat;
}

[[noreturn]] void refuse_unknown(const std::string& name) {
  std::string names, members;
  const Options defaults;
  for_each_argument(defaults, [&](const std::string& known, const auto&, OptionUse) {
    names.append(names.empty() ? "" : ", ").append(known);
    if (known.starts_with(name + "."))
      members.append(members.empty() ? "" : ", ").append(known.substr(name.size() + 1));
  });
  if (!members.empty()) throw py::value_error(name + " must be a dict with some of " + members);
  throw py::value_error("there is no option " + name + "; there are " + names);
}

/// `only`: of these alone.
void set_options(Options& options, const py::kwargs& arguments, std::optional<OptionUse> only) {
  for (const auto& [name, value] : flattened(arguments)) {
    bool known = false;
    for_each_argument(options, [&](const std::string& field_name, auto& field, OptionUse use) {
      if (field_name != name) return;
      known = true;
      if (only && use != *only)
        throw py::value_error(name + " decides on the features: give it to extract(), not here");
      assign(field, name, value);
    });
    if (!known) refuse_unknown(name);
  }
}

}  // namespace

Sensor sensor_named(const py::object& name) { return word<Sensor>("sensor", name); }

PlaneMatching plane_matching_named(const py::object& name) { return word<PlaneMatching>("mode", name); }

Options make_options(const py::object& voxel, const py::object& sensor, const py::kwargs& arguments) {
  Options options = sensor_named(sensor) == Sensor::lidar ? Options::lidar() : Options::rgbd();
  if (!voxel.is_none()) assign(options.voxel, "voxel", voxel);
  set_options(options, arguments, std::nullopt);
  return options;
}

Options options_for_alignment(const Options& source, const Options& target, const py::kwargs& changes) {
  std::map<std::string, py::object> others;
  for_each_option(target, [&](const char* name, const auto& field, OptionUse) { others[name] = to_python(field); });
  for_each_option(source, [&](const char* name, const auto& field, OptionUse) {
    const py::object mine = to_python(field);
    if (!mine.equal(others[name]))
      throw py::value_error(std::string(name) + " is " + std::string(py::repr(mine)) + " for the source and " +
                            std::string(py::repr(others[name])) +
                            " for the target: extract both with the same options");
  });
  Options options = source;
  set_options(options, changes, OptionUse::alignment);
  return options;
}

py::dict to_dict(const Options& options) {
  py::dict result;
  for_each_argument(options, [&](const std::string& name, const auto& field, OptionUse) {
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) {
      result[py::str(name)] = to_python(field);
      return;
    }
    const py::str outer(name.substr(0, dot));
    if (!result.contains(outer)) result[outer] = py::dict();
    result[outer][py::str(name.substr(dot + 1))] = to_python(field);
  });
  return result;
}

}  // namespace parte::python
