#include "targets.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>

namespace {

const FuzzTarget* chosen = nullptr;

}  // namespace

/// The name of the executable chooses the target: all of them share this object, which takes long to compile.
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** argv) {
  const std::string program = std::filesystem::path((*argv)[0]).filename().string();
  for (const FuzzTarget& target : fuzz::kTargets)
    if (program == std::string("parte_fuzz_") + target.name) chosen = &target;
  if (chosen == nullptr) {
    std::fprintf(stderr, "%s: there is no such target in targets.hpp\n", program.c_str());
    std::exit(1);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A copy of exactly that size: the address sanitizer sees any step beyond its end.
  (void)fuzz::accepts(*chosen, std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
