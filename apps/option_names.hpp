#pragma once

#include <parte/options.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace parte::apps {

/// Sets a field of the options by the name it has in C++: plane_weight, verification.refine, ground.cell. Throws
/// std::invalid_argument with the names there are, or with the values that the field can have.
void set_option(Options& options, std::string_view name, std::string_view value);

[[nodiscard]] std::vector<std::string> option_names();

/// All fields but the number of threads, which changes no result: "name=value" each, so that equal options have equal
/// texts. `features_only`: those that Registration::extract depends on.
[[nodiscard]] std::string to_text(const Options& options, bool features_only = false);

}  // namespace parte::apps
