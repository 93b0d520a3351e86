#pragma once

#include <datasets/text.hpp>
#include <slam/loop_finder.hpp>

#include <string>
#include <type_traits>
#include <utility>

namespace parte::apps {

/// A table as comma-separated values; the words must not have commas.
class Csv {
 public:
  explicit Csv(std::string header) : text_(std::move(header)) {}
  template <class T>
  Csv& operator<<(const T& value) {
    if (!std::exchange(first_, false)) text_ += ',';
    if constexpr (std::is_arithmetic_v<T>)
      datasets::append_number(text_, value);
    else
      text_.append(std::string_view(value));
    return *this;
  }
  void end_line() { text_ += '\n', first_ = true; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool first_ = true;
};

inline constexpr const char* kAttemptColumns =
    "kind,expected_distance_m,unlikeness,status,reason,clique_points,clique_planes,clique_weight,proven_optimal,"
    "residual_m,overlap,agreement,odometry_chi2,milliseconds";

inline void add_columns(Csv& csv, const slam::LoopAttempt& a) {
  csv << (a.look_alike ? "look-alike" : "nearby") << a.expected_distance_m << a.unlikeness
      << (a.accepted() ? "accepted" : "refused") << a.reason() << a.clique_points << a.clique_planes << a.clique_weight
      << (a.proven_optimal ? 1 : 0) << a.residual_m << a.overlap << a.agreement << a.odometry_chi2 << a.milliseconds;
}

}  // namespace parte::apps
