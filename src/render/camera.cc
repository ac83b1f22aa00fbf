#include "render/camera.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace flexor::render {
namespace {

constexpr double kRadians = std::numbers::pi / 180;
constexpr double kMargin = 0.13;  // of half the picture, on every side

Vec3d Corner(const Aabbf& box, int i) {
  return {(i & 1) != 0 ? box.max.x : box.min.x, (i & 2) != 0 ? box.max.y : box.min.y,
          (i & 4) != 0 ? box.max.z : box.min.z};
}

}  // namespace

Camera FrameBox(const Aabbf& box_given, int width, int height, double yaw_degrees,
                double pitch_degrees, double free_right) {
  Aabbf box = box_given;
  if (box.empty() || !IsFinite(box.min) || !IsFinite(box.max)) {
    box = {{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}};
  }
  const double yaw = std::isfinite(yaw_degrees) ? yaw_degrees * kRadians : 0;
  const double pitch =
      std::isfinite(pitch_degrees) ? std::clamp(pitch_degrees, -89.0, 89.0) * kRadians : 0;
  Camera camera;
  const Vec3d back{std::sin(yaw) * std::cos(pitch), std::sin(pitch),
                   std::cos(yaw) * std::cos(pitch)};
  const Vec3d right{std::cos(yaw), 0, -std::sin(yaw)};
  const Vec3d up = Cross(back, right);

  // A corner at (x, y) across the view and z behind the middle is inside where -tan (d + z) <=
  // x - cx <= k tan (d + z), k = 1 unless something is left free: linear in the shift c and the
  // distance d, so the nearest camera has a closed form.
  const std::array<double, 2> k{
      std::min(1.0, (1 - 2 * std::clamp(free_right, 0.0, 0.5)) / (1 - kMargin)), 1};
  const double tan_y = std::tan(camera.vertical_fov_degrees * kRadians / 2) * (1 - kMargin);
  const double tan_x = tan_y * std::max(width, 1) / std::max(height, 1);
  const Vec3d middle = (Cast<double>(box.min) + Cast<double>(box.max)) / 2.0;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::array<double, 2> low{kInfinity, kInfinity}, high{-kInfinity, -kInfinity};
  double nearest = kInfinity, size = 0, centred = -kInfinity;
  for (int i = 0; i < 8; ++i) {
    const Vec3d p = Corner(box, i) - middle;
    const double z = -Dot(p, back);
    const std::array<double, 2> across{Dot(p, right) / tan_x, Dot(p, up) / tan_y};
    for (std::size_t axis = 0; axis < 2; ++axis) {
      low[axis] = std::min(low[axis], across[axis] + z);
      high[axis] = std::max(high[axis], across[axis] - k[axis] * z);
      centred = std::max(centred, axis == 0 ? across[axis] - z : -kInfinity);
    }
    nearest = std::min(nearest, z);
    size = std::max(size, 2 * Length(p));
  }
  if (!(size > 0)) size = 1;
  const double distance =
      std::max(std::max((high[0] - low[0]) / (1 + k[0]), (high[1] - low[1]) / (1 + k[1])),
               size * 0.02 - nearest);
  // The middle, or as far from it as what is left free demands.
  const double x = std::max((low[0] + centred) / 2, high[0] - k[0] * distance);
  camera.target = middle + right * (x * tan_x) + up * ((low[1] + high[1]) / 2 * tan_y);
  camera.eye = camera.target + back * distance;
  return camera;
}

Result<View> MakeView(const Camera& camera, int width, int height, const SceneSpace& space) {
  const Vec3d forward = Normalized(camera.target - camera.eye);
  const Vec3d right = Normalized(Cross(forward, Normalized(camera.up)));
  const bool has_directions =
      forward != Vec3d{} && Length(Cross(forward, Normalized(camera.up))) > 1e-9;
  if (!IsFinite(camera.eye) || !IsFinite(camera.target) || !has_directions) {
    return Error{ErrorCode::kInvalidArgument,
                 "the camera has no direction: its eye and target must differ and be finite, and "
                 "its up vector must not lie along the view",
                 {}};
  }
  const double fov = camera.vertical_fov_degrees;
  if (!(fov >= 0.01 && fov <= 170)) {
    return Error{
        ErrorCode::kInvalidArgument,
        "a vertical field of view of " + std::to_string(fov) + " degrees is not within 0.01 to 170",
        {}};
  }
  View view;
  view.eye = (camera.eye - space.center) * space.scale;
  view.forward = forward;
  view.right = right;
  view.up = Cross(right, forward);
  const double tan_y = std::tan(fov * kRadians / 2);
  const double pixel = 2 * tan_y / height;
  view.across = view.right * pixel;
  view.down = view.up * -pixel;
  view.corner = view.forward - view.across * (width / 2.0) - view.down * (height / 2.0);
  return view;
}

}  // namespace flexor::render
