#pragma once

#include <atomic>
#include <csignal>
#include <initializer_list>

namespace parte::apps {

inline constexpr int kInterrupted = 130;  ///< exit status, as the shell says it of a program that SIGINT ended

/// Somebody wants the program to end, by Ctrl-C or SIGTERM.
inline std::atomic<bool> interrupted = false;

/// From now on the first signal sets `interrupted`, so that work can be saved; a second one ends the program.
inline void catch_interrupts() {
  for (const int caught : {SIGINT, SIGTERM})
    std::signal(caught, [](int signal) {
      interrupted = true;
      std::signal(signal, SIG_DFL);
    });
}

}  // namespace parte::apps
