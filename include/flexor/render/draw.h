/// @file render/draw.h
/// Pictures of characters by ray casting: no window, no GPU, the same pixels every time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/parallel.h"
#include "flexor/core/result.h"
#include "flexor/math/aabb.h"
#include "flexor/render/image.h"

namespace flexor::render {

/// What a picture shows.
enum class DrawMode : std::uint8_t {
  kShaded,    ///< lit, with textures
  kWire,      ///< shaded grey with the edges drawn
  kWeights,   ///< the weight of one joint as colour, with a legend
  kSkeleton,  ///< the nodes as bones over a translucent body
  kHeat,      ///< a value per vertex in millimetres as colour, with a scale
};

/// "shaded", "wire", "weights", "skeleton", "heat".
std::string_view DrawModeName(DrawMode mode);
Result<DrawMode> ParseDrawMode(std::string_view name);

/// One mesh instance as it stands.
/// Shapes  positions (V) · normals (V) or empty · values (V) for kHeat (mm) and kWeights (0..1), or
/// empty
struct DrawMesh {
  std::uint32_t instance =
      0;  ///< index into Character::instances: triangles, materials, texture coordinates
  std::span<const Vec3f> positions;
  std::span<const Vec3f> normals;
  std::span<const float> values;
};

/// A pinhole camera; metres, model space.
struct Camera {
  Vec3d eye{0, 0, 5};
  Vec3d target;
  Vec3d up{0, 1, 0};
  double vertical_fov_degrees = 30;
};

/// A camera that shows the whole box from a pleasant angle (from +Z, a little to the side and
/// above). `yaw_degrees` turns it about +Y, `pitch_degrees` raises it.
Camera FrameBox(const Aabbf& box, int width, int height, double yaw_degrees = 25,
                double pitch_degrees = 10);

/// How a picture is drawn.
struct DrawSettings {
  DrawMode mode = DrawMode::kShaded;
  int width = 640, height = 640;
  std::optional<Camera> camera;  ///< none: FrameBox of what is drawn
  double heat_max_mm = 0;  ///< 0: the largest value, rounded up to 1, 2 or 5 times a power of ten
  std::string label;       ///< drawn top left
  bool ground = true;      ///< a ground plane with a soft shadow under the box
  bool transparent_background = false;
  int samples_per_axis = 3;  ///< anti-aliasing: squared rays per pixel
};

/// Draws a character's instances.
/// Shapes  model_from_node (nodes), for kSkeleton
/// Errors  kInvalidArgument (no size, over 16384 a side; values missing for kHeat) · kShapeMismatch
Result<Image> Draw(const asset::Character& character, std::span<const DrawMesh> meshes,
                   std::span<const Mat34d> model_from_node, const DrawSettings& settings,
                   const ThreadTeam& team);

}  // namespace flexor::render
