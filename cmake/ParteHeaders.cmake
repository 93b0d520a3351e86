# Every header compiles alone: the target parte_headers, built by the test headers. What a standard library happens to
# include today would hide what is missing.

# The public headers of a library, with nothing but what its users get (CMake's own check).
function(parte_check_public_headers target)
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON
                                             INTERFACE_HEADER_SETS_TO_VERIFY HEADERS)
  set_property(GLOBAL APPEND PROPERTY PARTE_HEADER_CHECKS ${target}_verify_interface_header_sets)
endfunction()

# parte_check_headers(<name> LINK <libraries>... [DEFINE <macros>...] HEADERS <headers>...)
# Other headers, with the libraries of the sources that include them.
function(parte_check_headers name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK;DEFINE;HEADERS")
  set(sources "")
  foreach(header IN LISTS arg_HEADERS)
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${path}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include <${path}>\n")
    list(APPEND sources ${source})
  endforeach()
  add_library(parte_headers_${name} OBJECT EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(parte_headers_${name} PRIVATE ${arg_LINK})
  target_include_directories(parte_headers_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(parte_headers_${name} PRIVATE ${arg_DEFINE})
  set_property(GLOBAL APPEND PROPERTY PARTE_HEADER_CHECKS parte_headers_${name})
endfunction()

# The headers of this directory that are no part of the library's interface.
function(parte_check_private_headers target)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp)
  get_target_property(public ${target} HEADER_SET)
  list(FILTER headers EXCLUDE REGEX /interop/)
  foreach(header IN LISTS public)
    cmake_path(ABSOLUTE_PATH header NORMALIZE)
    list(REMOVE_ITEM headers ${header})
  endforeach()
  parte_check_headers(${target} LINK $<TARGET_PROPERTY:${target},LINK_LIBRARIES> HEADERS ${headers})
endfunction()

function(parte_add_headers_target)
  get_property(checks GLOBAL PROPERTY PARTE_HEADER_CHECKS)
  add_custom_target(parte_headers DEPENDS ${checks})
endfunction()
