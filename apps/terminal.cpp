#include <apps/terminal.hpp>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace parte::apps {
namespace {

constexpr std::size_t kLabelWidth = 22;

bool has_colors() {
  const char *refused = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  return is_terminal(stdout) && (refused == nullptr || *refused == '\0') &&
         !(terminal != nullptr && std::string_view(terminal) == "dumb");
}

const char* code_of(Style style) {
  switch (style) {
    case Style::strong:
      return "\x1b[1m";
    case Style::faint:
      return "\x1b[2m";
    case Style::good:
      return "\x1b[32m";
    case Style::bad:
      return "\x1b[31m";
  }
  return "";
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

}  // namespace

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) != 0; }

std::string styled(const std::string& text, Style style) {
  static const bool colors = has_colors();
  return colors ? code_of(style) + text + "\x1b[0m" : text;
}

std::string label(const std::string& name) { return styled(padded(name, kLabelWidth), Style::faint); }

void print_written(const std::filesystem::path& folder, const std::vector<std::pair<std::string, std::string>>& files) {
  std::printf("%s%s\n", label("written").c_str(), (folder / "").c_str());
  for (const auto& [name, content] : files) {
    if (!std::filesystem::exists(folder / name)) continue;
    std::printf("%s%s\n", padded("  " + name, kLabelWidth).c_str(), content.c_str());
  }
  const std::string page = (folder / "report.html").string();
  std::printf("%sopen %s in a browser\n", label("next").c_str(), styled(page, Style::strong).c_str());
}

}  // namespace parte::apps
