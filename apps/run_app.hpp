#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>

namespace parte::apps {

/// The exit statuses that every program has; a program may add its own.
enum ExitCode { kDone = 0, kError = 1, kUsage = 2 };

[[nodiscard]] inline int complain(const CLI::App& app, const std::exception& error, ExitCode code) {
  std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), error.what());
  return code;
}

/// Parses the command line and calls `run`, whose result is the exit status. What goes wrong is said on stderr, after
/// the name of the program; a std::invalid_argument is a wrong option that only `run` could see.
template <class Run>
[[nodiscard]] int run_app(CLI::App& app, int argc, char** argv, const Run& run) {
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return failed->get_name() + ": " + error.what() + "\n" + failed->get_name() + " --help says more.\n";
  });
  try {
    app.parse(argc, argv);
    return run();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kUsage;
  } catch (const std::invalid_argument& error) {
    return complain(app, error, kUsage);
  } catch (const std::exception& error) {
    return complain(app, error, kError);
  }
}

}  // namespace parte::apps
