#pragma once

#include <datasets/world/mesh.hpp>

#include <memory>

namespace parte::datasets {

/// Finds what a ray hits first (Embree). Safe to use from several threads.
class RayTracer {
 public:
  struct Hit {
    float range = 0.0f;
    float incidence = 0.0f;  ///< cosine between the ray and the surface's normal, in [0, 1]
    Surface surface{};
  };

  explicit RayTracer(const Mesh& mesh);
  RayTracer(RayTracer&&) noexcept;
  ~RayTracer();

  /// The first surface along the unit vector `direction` that is nearer than `range`; false if there is none.
  bool cast(const Eigen::Vector3f& origin, const Eigen::Vector3f& direction, float range, Hit& hit) const;

 private:
  void add(const Mesh& mesh);

  struct Scene;
  std::unique_ptr<Scene> scene_;
};

}  // namespace parte::datasets
