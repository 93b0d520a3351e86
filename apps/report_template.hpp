#pragma once

#include <span>
#include <string_view>

namespace parte::apps {

/// apps/report/template.html, as it was when the program was built, in pieces.
[[nodiscard]] std::span<const std::string_view> report_template();

}  // namespace parte::apps
