include(CMakePackageConfigHelpers)
set(PARTE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/parte)

# parte_add_library(<component> SOURCES ... HEADERS ... [INTEROP ...])
# The library parte::<component>, installed with an export file of its own so that the package offers it as a component.
# Headers under INTEROP need a library that only those who include them have.
function(parte_add_library component)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;INTEROP")
  set(target parte_${component})
  if(component STREQUAL parte)
    set(target parte)
  endif()
  add_library(${target} ${arg_SOURCES})
  add_library(parte::${component} ALIAS ${target})
  # The include root is the repository: <parte/...>, <datasets/...>, <slam/...>.
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${arg_HEADERS}
                                  FILE_SET interop TYPE HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${arg_INTEROP})
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${component} VERSION ${PROJECT_VERSION}
                                             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  parte_check_public_headers(${target})
  install(TARGETS ${target} EXPORT parte-${component} FILE_SET HEADERS FILE_SET interop)
  install(EXPORT parte-${component} NAMESPACE parte:: DESTINATION ${PARTE_PACKAGE_DIR})
endfunction()

function(parte_install_package)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/parteConfig.cmake.in ${PROJECT_BINARY_DIR}/parteConfig.cmake
                                INSTALL_DESTINATION ${PARTE_PACKAGE_DIR})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/parteConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/parteConfig.cmake ${PROJECT_BINARY_DIR}/parteConfigVersion.cmake
          DESTINATION ${PARTE_PACKAGE_DIR})
  if(PARTE_SLAM)
    install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindGTSAM.cmake DESTINATION ${PARTE_PACKAGE_DIR})
  endif()
endfunction()
