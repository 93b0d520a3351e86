#include <datasets/world/ray_tracer.hpp>

#include <embree4/rtcore.h>

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

namespace parte::datasets {
namespace {

#ifdef __SANITIZE_THREAD__
constexpr const char* kConfiguration = "threads=1";  // the sanitizer sees only half of what Embree shares by TBB
#else
constexpr const char* kConfiguration = nullptr;
#endif

/// One for the process: making it is slow, and it holds nothing of ours.
RTCDevice shared_device() {
  static const RTCDevice device = rtcNewDevice(kConfiguration);
  if (device == nullptr) throw std::runtime_error("Embree could not be started on this machine");
  return device;
}

void check(RTCDevice device) {
  if (const RTCError error = rtcGetDeviceError(device); error != RTC_ERROR_NONE)
    throw std::runtime_error("Embree: error " + std::to_string(static_cast<int>(error)));
}

template <class T>
void set_buffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format, const std::vector<T>& values) {
  void* buffer = rtcSetNewGeometryBuffer(geometry, type, 0, format, sizeof(T), values.size());
  if (buffer == nullptr) throw std::bad_alloc();
  std::memcpy(buffer, static_cast<const void*>(values.data()), values.size() * sizeof(T));
}

}  // namespace

struct RayTracer::Scene {
  RTCScene handle;
  std::vector<Surface> surfaces;

  explicit Scene(RTCDevice device) : handle(rtcNewScene(device)) {}
  ~Scene() { rtcReleaseScene(handle); }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
};

RayTracer::RayTracer(const Mesh& mesh) : scene_(std::make_unique<Scene>(shared_device())) {
  if (!mesh.triangles.empty()) add(mesh);
  rtcSetSceneFlags(scene_->handle, RTC_SCENE_FLAG_ROBUST);  // no ray slips through between two triangles
  rtcCommitScene(scene_->handle);
  check(shared_device());
}

void RayTracer::add(const Mesh& mesh) {
  const RTCGeometry geometry = rtcNewGeometry(shared_device(), RTC_GEOMETRY_TYPE_TRIANGLE);
  set_buffer(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, mesh.vertices);
  set_buffer(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, mesh.triangles);
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene_->handle, geometry);
  rtcReleaseGeometry(geometry);
  for (const Mesh::Triangle& t : mesh.triangles) scene_->surfaces.push_back(t.surface);
}

RayTracer::RayTracer(RayTracer&&) noexcept = default;
RayTracer::~RayTracer() = default;

bool RayTracer::cast(const Eigen::Vector3f& origin, const Eigen::Vector3f& direction, float range, Hit& hit) const {
  RTCRayHit query;
  query.ray = {.org_x = origin.x(),
               .org_y = origin.y(),
               .org_z = origin.z(),
               .tnear = 0.0f,
               .dir_x = direction.x(),
               .dir_y = direction.y(),
               .dir_z = direction.z(),
               .time = 0.0f,
               .tfar = range,
               .mask = ~0u,
               .id = 0,
               .flags = 0};
  query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(scene_->handle, &query);
  if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
  const Eigen::Vector3f normal = Eigen::Vector3f(query.hit.Ng_x, query.hit.Ng_y, query.hit.Ng_z).normalized();
  hit = {query.ray.tfar, std::abs(normal.dot(direction)), scene_->surfaces[query.hit.primID]};
  return true;
}

}  // namespace parte::datasets
