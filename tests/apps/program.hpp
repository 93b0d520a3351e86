#pragma once

#include <datasets/file.hpp>

#include "../datasets/files.hpp"

#include <cstdlib>
#include <string>
#include <sys/wait.h>

struct Outcome {
  int code = 0;
  std::string out, err;
};

/// Runs a program in a folder of its own; `ending` may do something with it while it runs.
inline Outcome run_program(const TemporaryFolder& folder, const std::string& program, const std::string& arguments,
                           const std::string& ending = "") {
  const std::string command = "cd '" + folder.path().string() + "' && { env -u KITTI_ROOT HOME=/nonexistent '" +
                              program + "' " + arguments + " >stdout.txt 2>stderr.txt " + ending + " ; }";
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), parte::datasets::read_file(folder / "stdout.txt"),
          parte::datasets::read_file(folder / "stderr.txt")};
}
