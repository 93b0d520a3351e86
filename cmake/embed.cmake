# Makes a C++ source of a file: cmake -D file=... -D source=... -P embed.cmake
# Short pieces, as string literals with escapes: every compiler takes them, and they compile quickly. The last byte is
# always an escape, so that none runs on into what follows.
file(SIZE "${file}" size)
set(pieces "")
set(offset 0)
while(offset LESS size)
  file(READ "${file}" bytes OFFSET ${offset} LIMIT 4096 HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(APPEND pieces "    \"${bytes}\"sv,\n")
  math(EXPR offset "${offset} + 4096")
endwhile()
file(WRITE "${source}" "#include <apps/report_template.hpp>

namespace parte::apps {

std::span<const std::string_view> report_template() {
  using namespace std::literals;
  static constexpr std::string_view kPieces[] = {
${pieces}  };
  return kPieces;
}

}  // namespace parte::apps
")
