#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace parte::datasets {

/// What LZF packed into `packed`, which must be `size` bytes. `path` and the place of `packed` in the file are for
/// messages only. Throws IoError naming the byte; a size that the packed bytes cannot reach is refused before any
/// memory is taken for it.
[[nodiscard]] std::string lzf_decompress(std::string_view packed, std::size_t size, const std::filesystem::path& path,
                                         std::size_t place);

}  // namespace parte::datasets
