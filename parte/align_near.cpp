#include <parte/align_near.hpp>

#include <parte/decompositions.hpp>
#include <parte/require.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace parte {
namespace {

// docs/ALGORITHM.md, "Partial results", derives these.
constexpr double kSigmas = 2.0;          // of the expectation that are searched
constexpr double kStep = 2.0;            // [radii] between starts: what the first round of a refinement reaches
constexpr std::size_t kMaxStarts = 300;  // beyond this the expectation says next to nothing
constexpr std::size_t kMaxRivals = 3;    // that are looked at closely
constexpr double kSlide = 4.0;           // [radii] by which the source is moved to see where a street leads
constexpr double kHeld = 1e12;           // information that holds a shift against any surfaces
constexpr double kTurning = 1.0;         // of a shift's displacement that the turn beside it may cause
constexpr std::size_t kFewSamples = 200, kSamples = 1500;

struct Alignment {
  Refinement refinement;
  Overlap overlap = {};
};

/// Where the source's witnesses are: turns count by the displacement that they cause there.
struct Scene {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  double size = 1.0;
};

Scene scene_of(const Features& f) {
  Scene scene;
  const auto count = static_cast<double>(f.surfaces.samples.size());
  for (const Index i : f.surfaces.samples) scene.center += f.cloud.at(i) / count;
  double squares = 0.0;
  for (const Index i : f.surfaces.samples) squares += (f.cloud.at(i) - scene.center).squaredNorm() / count;
  scene.size = std::max(std::sqrt(squares), 1e-6);
  return scene;
}

/// Shifts along which a world may repeat itself: along the ground, where there is one.
Eigen::MatrixXd level_of(const Features& f) {
  if (f.up.isZero()) return Eigen::Matrix3d::Identity();
  const Eigen::Vector3d across = f.up.unitOrthogonal();
  Eigen::MatrixXd level(3, 2);
  level << across, f.up.cross(across);
  return level;
}

/// Small enough motions, as a tangent.
Vector6d tangent_of(const Eigen::Isometry3d& T) {
  const Eigen::AngleAxisd turn(T.linear());
  Vector6d xi;
  xi << turn.angle() * turn.axis(), T.translation();
  return xi;
}

class NearAlignment {
 public:
  NearAlignment(const Features& source, const Features& target, const Options& options)
      : source_{source.cloud, source.surfaces},
        target_{target.cloud, target.surfaces},
        options_(options),
        radius_(options.verification.radius * options.voxel),
        scene_(scene_of(source)),
        to_tangent_(tangent_of_lengths(scene_.center, scene_.size)),
        from_tangent_(inverse(to_tangent_)),
        level_(level_of(source)) {}

  /// Nothing if the expectation is too vague to be searched.
  bool search(const Expectation& expected) {
    prior_ = pseudo_inverse(expected.covariance);
    std::vector<Alignment> tried = starts(expected);
    if (tried.empty()) return false;
    rank(tried, [&](Alignment& a) { a.overlap = overlap(a, 2.0 * radius_, kFewSamples); });
    tried.resize(std::min(tried.size(), static_cast<std::size_t>(options_.verification.max_refined)));
    rank(tried, [&](Alignment& a) {
      a.refinement = refined(a, {.rounds = 4, .settling = 0, .samples = 300, .ground_samples = 100});
      a.overlap = overlap(a, radius_, kFewSamples);
    });
    best = tried.front();
    finish(best);
    find_open_direction();
    find_rivals(tried);
    return true;
  }

  [[nodiscard]] bool is_partial() const { return shifts && !rival && NearLimits().confirm(best.overlap); }
  Alignment best;
  Vector6d open = Vector6d::Zero();  ///< unit tangent, source frame
  /// How far the walls lead off the open direction on either side, a column each: their squares add up to a covariance.
  Eigen::Matrix<double, 6, 2> beside = Eigen::Matrix<double, 6, 2>::Zero();
  bool shifts = false;  ///< the open direction does, rather than turn
  bool rival = false;   ///< another alignment is confirmed as well

 private:
  /// A grid over what the expectation leaves uncertain, in its three widest directions.
  [[nodiscard]] std::vector<Alignment> starts(const Expectation& expected) const {
    const Matrix6d lengths = from_tangent_ * expected.covariance * from_tangent_.transpose();
    const Spectrum6 uncertain = spectrum(lengths);
    std::array<int, 3> counts{};
    std::size_t all = 1;
    for (int k = 0; k < 3; ++k) {
      const double sigmas = kSigmas * std::sqrt(std::max(0.0, uncertain.eigenvalues[5 - k])) / (kStep * radius_);
      counts[k] = static_cast<int>(std::min(1000.0, std::ceil(sigmas - 0.5)));
      all *= static_cast<std::size_t>(2 * std::max(0, counts[k]) + 1);
      if (all > kMaxStarts) return {};
    }
    std::vector<Alignment> result;
    for (int i = -counts[0]; i <= counts[0]; ++i)
      for (int j = -counts[1]; j <= counts[1]; ++j)
        for (int k = -counts[2]; k <= counts[2]; ++k) {
          const Vector6d offset = kStep * radius_ * uncertain.eigenvectors.rightCols<3>() * Eigen::Vector3d(k, j, i);
          result.push_back({Refinement{expected.T_target_source * motion(to_tangent_ * offset)}});
        }
    return result;
  }

  template <class Measure>
  static void rank(std::vector<Alignment>& all, const Measure& measure) {
    tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t k) { measure(all[k]); });
    std::stable_sort(all.begin(), all.end(),
                     [](const Alignment& a, const Alignment& b) { return a.overlap.score() > b.overlap.score(); });
  }

  [[nodiscard]] Overlap overlap(const Alignment& a, double radius, std::size_t samples) const {
    return measure_overlap(source_, target_, a.refinement.T_target_source, radius, samples);
  }
  [[nodiscard]] Refinement refined(const Alignment& a, const RefinementEffort& effort = {}) const {
    return refine(source_, target_, a.refinement.T_target_source, prior_, radius_, effort);
  }
  void finish(Alignment& a) const {
    a.refinement = refined(a);
    a.overlap = overlap(a, radius_, kSamples);
  }

  /// The shift along the ground that the surfaces fix least, with the turn that goes along with it.
  [[nodiscard]] Vector6d weakest_shift() const {
    const Matrix6d H = to_tangent_.transpose() * best.refinement.information * to_tangent_;
    const Eigen::Matrix3d turn =
        solve_shortest(Eigen::Matrix3d(H.topLeftCorner<3, 3>()), Eigen::Matrix3d(H.topRightCorner<3, 3>()));
    const Eigen::Matrix3d shifts_alone = H.bottomRightCorner<3, 3>() - H.bottomLeftCorner<3, 3>() * turn;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(level_.transpose() * shifts_alone * level_);
    const Eigen::Vector3d shift = level_ * solver.eigenvectors().col(0);
    Vector6d weakest;
    weakest << -turn * shift, shift;
    return weakest.normalized();
  }

  /// From that shift to where the walls lead: the source is moved both ways, refined with the shift held, and the open
  /// direction is the secant. What stands along a street turns the weakest shift away from its direction.
  void find_open_direction() {
    const Vector6d weakest = weakest_shift();
    const Vector6d along = from_tangent_.transpose() * weakest;
    std::array<Vector6d, 2> ends;
    for (const int k : {0, 1}) {
      const Vector6d moved = (k == 0 ? -kSlide : kSlide) * radius_ * weakest;
      const Eigen::Isometry3d start = best.refinement.T_target_source * motion(to_tangent_ * moved);
      const Refinement end = refine(source_, target_, start, kHeld * along * along.transpose(), radius_);
      ends[k] = from_tangent_ * tangent_of(best.refinement.T_target_source.inverse() * end.T_target_source);
    }
    weakest_ = (ends[1] - ends[0]).normalized();
    shifts = weakest_.head<3>().norm() < kTurning * weakest_.tail<3>().norm();
    open = (to_tangent_ * weakest_).normalized();
    for (const int k : {0, 1})
      beside.col(k) = to_tangent_ * (ends[k] - weakest_.dot(ends[k]) * weakest_) / std::sqrt(2.0);
  }

  /// Whether another alignment says something else about what is not open.
  [[nodiscard]] bool is_other(const Alignment& a) const {
    const Vector6d apart =
        from_tangent_ * tangent_of(best.refinement.T_target_source.inverse() * a.refinement.T_target_source);
    return (apart - weakest_.dot(apart) * weakest_).norm() > radius_;
  }

  void find_rivals(std::vector<Alignment>& tried) {
    std::size_t looked_at = 0;
    for (Alignment& a : tried) {
      if (!is_other(a)) continue;
      if (++looked_at > kMaxRivals) return;
      finish(a);
      rival |= is_other(a) && NearLimits().confirm(a.overlap);
    }
  }

  Surfaces source_, target_;
  const Options& options_;
  double radius_;
  Scene scene_;
  Matrix6d to_tangent_, from_tangent_;
  Eigen::MatrixXd level_;
  Matrix6d prior_ = Matrix6d::Zero();
  Vector6d weakest_ = Vector6d::Zero();  ///< the open direction, in lengths
};

/// Adds the covariance U U' to what may have no covariance (Woodbury).
void widen(Matrix6d& information, const Eigen::Matrix<double, 6, 2>& U) {
  const Eigen::Matrix<double, 6, 2> IU = information * U;
  const Eigen::Matrix2d inner = Eigen::Matrix2d::Identity() + U.transpose() * IU;
  information -= IU * inner.ldlt().solve(IU.transpose());
}

void report(const NearAlignment& found, const Features& source, const Features& target, double radius_m,
            Result& result) {
  const Eigen::Vector3d &from = source.cloud.origin, &to = target.cloud.origin;
  const Matrix6d adjoint = translation_adjoint(-from);
  const Refinement& r = found.best.refinement;
  result.T_clique = result.T_target_source = Eigen::Translation3d(to) * r.T_target_source * Eigen::Translation3d(-from);
  result.overlap = found.best.overlap;
  result.free_directions = {(translation_adjoint(from) * found.open).normalized()};
  result.partial = found.is_partial();
  result.status = result.partial ? Status::degenerate : Status::not_verified;
  result.surface_information = adjoint.transpose() * r.information * adjoint;
  result.surface_rms_m = r.rms_m;
  if (!result.partial) return;
  result.surface_evidence =
      measure_evidence({source.cloud, source.surfaces}, {target.cloud, target.surfaces}, r.T_target_source, radius_m);
  widen(result.surface_evidence.information, found.beside);
  result.surface_evidence.information = adjoint.transpose() * result.surface_evidence.information * adjoint;
  result.surface_evidence.open = translation_adjoint(from) * result.surface_evidence.open * adjoint;
}

}  // namespace

bool NearLimits::confirm(const Overlap& overlap) const {
  return overlap.agreement() >= min_agreement && overlap.sharpness() >= min_sharpness &&
         overlap.fraction() >= min_overlap;
}

Result align_near(const Features& source, const Features& target, const Expectation& expected, const Options& options) {
  require(expected.T_target_source.matrix().allFinite() && expected.covariance.allFinite(),
          "an expectation must be finite");
  Result result;
  for (const Features* f : {&source, &target})
    if (f->status != Status::success) {
      result.status = f->status;
      return result;
    }
  result.status = Status::not_verified;
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  arena.execute([&] {
    tbb::this_task_arena::isolate([&] {
      const Eigen::Vector3d &from = source.cloud.origin, &to = target.cloud.origin;
      const Expectation local{Eigen::Translation3d(-to) * expected.T_target_source * Eigen::Translation3d(from),
                              transported(expected.covariance, Eigen::Isometry3d(Eigen::Translation3d(-from)))};
      NearAlignment found(source, target, options);
      if (found.search(local)) report(found, source, target, options.verification.radius * options.voxel, result);
    });
  });
  return result;
}

}  // namespace parte
