# A toolchain for the preset fuzz: the newest clang there is, whatever name the system gives it. An unversioned clang++
# may be older than the headers of the standard library that it finds.
find_program(PARTE_CLANG NAMES clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++-16 clang++ clang++-14)
mark_as_advanced(PARTE_CLANG)
if(NOT PARTE_CLANG)
  message(FATAL_ERROR "The fuzzers need clang, since GCC has no libFuzzer. ./run fuzz installs it on Debian and Ubuntu.")
endif()
set(CMAKE_CXX_COMPILER ${PARTE_CLANG})
