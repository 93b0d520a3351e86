#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace parte::apps {

/// The exit statuses that every program has; a program may add its own.
enum ExitCode { kDone = 0, kError = 1, kUsage = 2 };

[[nodiscard]] inline int complain(const CLI::App& app, const std::exception& error, ExitCode code) {
  std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), error.what());
  return code;
}

/// The command line as a shell takes it.
[[nodiscard]] inline std::string command_line(int argc, char** argv) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  std::string line;
  for (int i = 0; i < argc; ++i) {
    const std::string word = argv[i];
    if (i > 0) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
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
