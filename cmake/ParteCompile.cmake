# How the targets of this directory tree are compiled; nothing of it reaches those who link to them, but C++20.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_COMPILE_WARNING_AS_ERROR ${PARTE_WERROR})

if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  add_compile_options(-Wall -Wextra -Wpedantic)
endif()

if(PARTE_SANITIZE)
  set(CMAKE_COMPILE_WARNING_AS_ERROR OFF) # GCC warns falsely of code that it has instrumented
  add_compile_options(-fsanitize=${PARTE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PARTE_SANITIZE})
  # Under the address sanitizer Eigen aligns memory by hand, GTSAM's library does not, and each frees what the other
  # allocated. The sanitizer's malloc is aligned well enough.
  add_compile_definitions(EIGEN_MALLOC_ALREADY_ALIGNED=1)
endif()

if(PARTE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "PARTE_FUZZ needs clang, since GCC has no libFuzzer: use 'cmake --preset fuzz'")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
