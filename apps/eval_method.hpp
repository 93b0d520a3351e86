#pragma once

#include <apps/eval_record.hpp>

#include <string>
#include <vector>

namespace parte::apps {

/// One row of the tables: a way to register a pair.
struct Method {
  enum class Kind { parte, ransac, fgr, external };
  std::string name;
  Kind kind = Kind::parte;
  Options options;             ///< of the features, and for Kind::parte of the alignment
  std::size_t iterations = 0;  ///< of RANSAC
  std::string command;         ///< of Kind::external
  double time_limit_s = 60.0;  ///< the same
};

/// Settings without what goes beyond the paper.
inline const std::vector<std::string> kAsPublished = {"coarse_levels=0", "verification.enabled=false",
                                                      "verification.refine=false", "verification.max_hypotheses=1"};

/// What the command line says about the methods.
struct MethodRequest {
  std::vector<std::string> set;     ///< name=value: changes of the options in every row
  std::vector<std::string> sweeps;  ///< name=a,b,c: a row for each value
  bool ablations = false;           ///< a row for each part of the method left out
  std::vector<std::size_t> ransac;  ///< iterations: a row for each
  bool fgr = false;
  std::vector<std::string> external;  ///< commands with {source} and {target}
  double external_limit_s = 60.0;
};

/// The rows, PARTE itself first. Throws std::invalid_argument, naming the option, where something cannot be.
[[nodiscard]] std::vector<Method> make_methods(const Options& protocol, const MethodRequest& request);

/// Registers one pair. `source` and `target` are features by the method's options; Kind::external takes none.
[[nodiscard]] EvalRecord evaluate(const Method& method, const Benchmark& benchmark, const EvalPair& pair,
                                  const Features& source, const Features& target, int threads);

/// Whether this build has RANSAC and FGR (see eval_open3d.cpp).
[[nodiscard]] bool has_open3d();
/// The transform of the correspondences by Open3D, within `distance` [m]; nothing if it finds none. `iterations` 0:
/// FGR.
[[nodiscard]] std::optional<Eigen::Isometry3d> open3d_transform(std::span<const Correspondence> correspondences,
                                                                double distance, std::size_t iterations);

/// Runs a program that prints a 4 x 4 matrix, T_target_source, as its last four lines of four numbers.
struct ExternalAnswer {
  std::string status;  ///< "success", or what went wrong
  std::optional<Eigen::Isometry3d> T_target_source;
  double milliseconds = 0.0;
};
[[nodiscard]] ExternalAnswer run_external(const std::string& command, double time_limit_s, const EvalScan& source,
                                          const EvalScan& target);

}  // namespace parte::apps
