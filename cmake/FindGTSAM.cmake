# Finds GTSAM and defines the target GTSAM::gtsam, its headers as system headers.
#
# Debian's GTSAMConfig.cmake cannot be used: its exports name a libCppUnitLite.a that is not packaged, a fatal error
# inside find_package. A shared library needs no config, though: the loader knows its dependencies, and here are those
# that its headers bring in. A static one (vcpkg) lists its dependencies nowhere else than in its config.
find_path(GTSAM_INCLUDE_DIR gtsam/config.h)
find_library(GTSAM_LIBRARY NAMES gtsam)
mark_as_advanced(GTSAM_INCLUDE_DIR GTSAM_LIBRARY)

set(_gtsam_config "")
if(GTSAM_INCLUDE_DIR)
  file(STRINGS "${GTSAM_INCLUDE_DIR}/gtsam/config.h" _gtsam_config REGEX "^[ \t]*#[ \t]*define GTSAM_")
  foreach(_gtsam_part MAJOR MINOR PATCH)
    if(_gtsam_config MATCHES "define GTSAM_VERSION_${_gtsam_part} ([0-9]+)")
      list(APPEND _gtsam_version ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(JOIN _gtsam_version "." GTSAM_VERSION)
  unset(_gtsam_version)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GTSAM REQUIRED_VARS GTSAM_LIBRARY GTSAM_INCLUDE_DIR VERSION_VAR GTSAM_VERSION)

if(GTSAM_FOUND AND NOT TARGET GTSAM::gtsam)
  include(CMakeFindDependencyMacro)
  add_library(GTSAM::gtsam INTERFACE IMPORTED)
  if(GTSAM_LIBRARY MATCHES "\\.(a|lib)$")
    find_dependency(GTSAM CONFIG)
    target_link_libraries(GTSAM::gtsam INTERFACE gtsam)
  else()
    find_dependency(Eigen3 CONFIG)
    target_include_directories(GTSAM::gtsam SYSTEM INTERFACE "${GTSAM_INCLUDE_DIR}")
    target_link_libraries(GTSAM::gtsam INTERFACE "${GTSAM_LIBRARY}" Eigen3::Eigen)
    if(_gtsam_config MATCHES "define GTSAM_USE_TBB")
      find_dependency(TBB CONFIG)
      target_link_libraries(GTSAM::gtsam INTERFACE TBB::tbb TBB::tbbmalloc)
    endif()
    # Boost became optional with GTSAM 4.3.
    if(GTSAM_VERSION VERSION_LESS 4.3 OR _gtsam_config MATCHES "define GTSAM_(ENABLE|USE)_BOOST")
      find_dependency(Boost CONFIG COMPONENTS serialization)
      target_link_libraries(GTSAM::gtsam INTERFACE Boost::serialization)
    endif()
  endif()
endif()
unset(_gtsam_config)
