#include "render/ray_scene.h"

#include <limits>
#include <string>
#include <utility>

#include <embree3/rtcore.h>

#include "flexor/core/parallel.h"

namespace flexor::render {
namespace {

constexpr float kFaintest = 1.f / 512;

// Embree calls these for every triangle a ray crosses of a surface with cut-outs.
void KeepVisible(const RTCFilterFunctionNArguments* arguments, float threshold) {
  const auto& surface = *static_cast<const Surface*>(arguments->geometryUserPtr);
  for (unsigned i = 0; i < arguments->N; ++i) {
    if (arguments->valid[i] != -1) continue;
    const float opacity = surface.Opacity(RTCHitN_primID(arguments->hit, arguments->N, i),
                                          RTCHitN_u(arguments->hit, arguments->N, i),
                                          RTCHitN_v(arguments->hit, arguments->N, i));
    if (!(opacity >= threshold)) arguments->valid[i] = 0;
  }
}

void KeepFaint(const RTCFilterFunctionNArguments* arguments) { KeepVisible(arguments, kFaintest); }
void KeepHalf(const RTCFilterFunctionNArguments* arguments) { KeepVisible(arguments, 0.5f); }

Error DeviceError(RTCError code) {
  if (code == RTC_ERROR_OUT_OF_MEMORY) {
    return Error{ErrorCode::kOutOfMemory, "memory ran out while a picture was prepared", {}};
  }
  return Error{ErrorCode::kInternal,
               "Embree could not prepare the picture (error " + std::to_string(code) + ")",
               {}};
}

template <class T>
bool FillBuffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format,
                std::span<const T> values, std::size_t per_item) {
  void* buffer = rtcSetNewGeometryBuffer(geometry, type, 0, format, sizeof(T) * per_item,
                                         values.size() / per_item);
  if (buffer == nullptr) return false;
  std::copy(values.begin(), values.end(), static_cast<T*>(buffer));
  return true;
}

}  // namespace

struct RayScene::Impl {
  std::vector<Surface> surfaces;
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;

  ~Impl() {
    if (scene != nullptr) rtcReleaseScene(scene);
    if (device != nullptr) rtcReleaseDevice(device);
  }

  Status Add(const Surface& surface, unsigned id, Cutouts cutouts) {
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (geometry == nullptr) return DeviceError(rtcGetDeviceError(device));
    const bool filled =
        FillBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3,
                   std::span<const Vec3f>(surface.positions), 1) &&
        FillBuffer(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, surface.triangles, 3);
    if (filled) {
      if (cutouts != Cutouts::kIgnored && surface.has_cutouts) {
        rtcSetGeometryUserData(geometry, const_cast<Surface*>(&surface));
        rtcSetGeometryIntersectFilterFunction(geometry,
                                              cutouts == Cutouts::kBlended ? KeepFaint : KeepHalf);
        rtcSetGeometryOccludedFilterFunction(geometry, KeepHalf);
      }
      rtcCommitGeometry(geometry);
      rtcAttachGeometryByID(scene, geometry, id);
    }
    rtcReleaseGeometry(geometry);
    const RTCError error = rtcGetDeviceError(device);
    if (!filled || error != RTC_ERROR_NONE) {
      return DeviceError(error == RTC_ERROR_NONE ? RTC_ERROR_OUT_OF_MEMORY : error);
    }
    return {};
  }
};

RayScene::RayScene(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RayScene::~RayScene() = default;
RayScene::RayScene(RayScene&&) noexcept = default;
RayScene& RayScene::operator=(RayScene&&) noexcept = default;

Result<RayScene> RayScene::Build(std::vector<Surface> surfaces, Cutouts cutouts) {
  auto impl = std::make_unique<Impl>();
  impl->surfaces = std::move(surfaces);
  impl->device = rtcNewDevice(nullptr);
  if (impl->device == nullptr) return DeviceError(rtcGetDeviceError(nullptr));
  impl->scene = rtcNewScene(impl->device);
  // Robust: no ray slips between two triangles that share an edge.
  rtcSetSceneFlags(impl->scene, RTC_SCENE_FLAG_ROBUST);
  rtcSetSceneBuildQuality(impl->scene, RTC_BUILD_QUALITY_MEDIUM);
  for (std::size_t i = 0; i < impl->surfaces.size(); ++i) {
    if (impl->surfaces[i].triangles.empty()) continue;
    FLEXOR_TRY(impl->Add(impl->surfaces[i], static_cast<unsigned>(i), cutouts));
  }
  // Not by asking the device for one thread: that would take the others from the whole process.
  RunAlone([&] { rtcCommitScene(impl->scene); });
  if (const RTCError error = rtcGetDeviceError(impl->device); error != RTC_ERROR_NONE) {
    return DeviceError(error);
  }
  return RayScene(std::move(impl));
}

const std::vector<Surface>& RayScene::surfaces() const { return impl_->surfaces; }

std::optional<Hit> RayScene::Intersect(Vec3f origin, Vec3f direction, float nearest) const {
  RTCRayHit ray{};
  ray.ray.org_x = origin.x;
  ray.ray.org_y = origin.y;
  ray.ray.org_z = origin.z;
  ray.ray.dir_x = direction.x;
  ray.ray.dir_y = direction.y;
  ray.ray.dir_z = direction.z;
  ray.ray.tnear = nearest;
  ray.ray.tfar = std::numeric_limits<float>::infinity();
  ray.ray.mask = ~0u;
  ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcIntersect1(impl_->scene, &context, &ray);
  if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) return std::nullopt;
  return Hit{ray.ray.tfar, ray.hit.geomID, ray.hit.primID, ray.hit.u, ray.hit.v};
}

bool RayScene::Occluded(Vec3f origin, Vec3f direction, float length) const {
  RTCRay ray{};
  ray.org_x = origin.x;
  ray.org_y = origin.y;
  ray.org_z = origin.z;
  ray.dir_x = direction.x;
  ray.dir_y = direction.y;
  ray.dir_z = direction.z;
  ray.tnear = 0;
  ray.tfar = length;
  ray.mask = ~0u;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcOccluded1(impl_->scene, &context, &ray);
  return ray.tfar < 0;
}

}  // namespace flexor::render
