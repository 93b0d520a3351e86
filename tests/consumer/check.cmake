# Installs the build tree into a fresh prefix, then configures, builds and runs this folder's project against it.
set(work ${build_dir}/consumer)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The README's first two ```cpp blocks are complete programs: the registration, and loops for a graph.
file(READ ${source_dir}/README.md readme)
foreach(example IN ITEMS readme_example slam_example)
  string(FIND "${readme}" "```cpp\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "README.md has no ```cpp block for ${example}")
  endif()
  math(EXPR begin "${begin} + 7")
  string(SUBSTRING "${readme}" ${begin} -1 readme)
  string(FIND "${readme}" "```" end)
  string(SUBSTRING "${readme}" 0 ${end} code)
  string(SUBSTRING "${readme}" ${end} -1 readme)
  file(WRITE ${work}/${example}.cpp "${code}")
endforeach()

run(${CMAKE_COMMAND} --install ${build_dir} --config ${config} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build -G ${generator}
    -D CMAKE_BUILD_TYPE=${config} -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_TOOLCHAIN_FILE=${toolchain}
    -D CMAKE_PREFIX_PATH=${work}/prefix -D WITH_SLAM=${slam} -D EXAMPLES=${work})
run(${CMAKE_COMMAND} --build ${work}/build --config ${config})
run(${work}/build/readme_example)
if(slam)
  run(${work}/build/slam_example)
endif()
