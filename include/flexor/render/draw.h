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
#include "flexor/core/export.h"
#include "flexor/core/parallel.h"
#include "flexor/core/result.h"
#include "flexor/math/aabb.h"
#include "flexor/render/image.h"
#include "flexor/render/texture_set.h"

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
FLEXOR_API std::string_view DrawModeName(DrawMode mode);
/// The mode of that name. Errors  kInvalidArgument listing the names
FLEXOR_API Result<DrawMode> ParseDrawMode(std::string_view name);

/// One mesh instance as it stands.
/// Shapes  positions (V) · normals (V) or empty: then faces are flat · values (V) or empty
struct DrawMesh {
  std::uint32_t instance =
      0;  ///< index into Character::instances: triangles, materials, texture coordinates
  std::span<const Vec3f> positions{};  ///< model space, metres
  std::span<const Vec3f> normals{};    ///< model space, any length
  std::span<const float> values{};  ///< kHeat: millimetres, needed · kWeights: 0 to 1, empty is 0
};

/// A pinhole camera; metres, model space.
struct Camera {
  Vec3d eye{0, 0, 5};
  Vec3d target{};
  Vec3d up{0, 1, 0};
  double vertical_fov_degrees = 30;
};

/// The nearest camera that shows the whole box with a margin, from a pleasant angle (from +Z, a
/// little to the side and above). `yaw_degrees` turns it about +Y, `pitch_degrees` raises it,
/// within 89 degrees. An empty or infinite box is taken as a cube of 1 m at the origin. The box
/// keeps out of `free_right` of the picture's width at its right edge, 0 to 0.5, where the scale of
/// kHeat and kWeights stands; it stays in the middle as long as that leaves it room.
FLEXOR_API Camera FrameBox(const Aabbf& box, int width, int height, double yaw_degrees = 25,
                           double pitch_degrees = 10, double free_right = 0);

/// How much of a picture's width the scale of kHeat and kWeights takes, about.
inline constexpr double kScaleWidth = 0.2;

/// The box of everything that is drawn, for one camera and one ground over many frames. Positions
/// that are not finite are left out.
/// Shapes  meshes (any number)
FLEXOR_API Aabbf BoundsOf(std::span<const DrawMesh> meshes);

/// The largest size of a picture, pixels a side.
inline constexpr int kMaxPictureSide = 16384;

/// How a picture is drawn.
struct DrawSettings {
  DrawMode mode = DrawMode::kShaded;
  int width = 640, height = 640;          ///< pixels, 1 to kMaxPictureSide
  std::optional<Camera> camera{};         ///< none: FrameBox of what is drawn
  std::optional<double> ground_height{};  ///< y of the ground, metres; none: the lowest point drawn
  double heat_max_mm = 0;  ///< 0: the largest value, rounded up to 1, 2 or 5 times a power of ten
  std::string label{};     ///< drawn top left; lines split at '\n'
  std::string legend{};    ///< title of the scale of kHeat and kWeights, e.g. the joint's name
  bool ground = true;      ///< a ground plane with a soft shadow under the box
  bool transparent_background = false;  ///< the ground's shadow stays, as translucent black
  int samples_per_axis = 3;             ///< anti-aliasing: squared rays per pixel, 1 to 16
};

/// Draws a character's instances. Surfaces are seen from both sides, so that what a deformation
/// turns inside out shows. In kShaded materials are drawn with their textures, alpha masks and
/// blending; the light stands still relative to the camera. Values that are not finite are drawn in
/// grey. No meshes: the background alone (and the bones, in kSkeleton).
/// Shapes   meshes (any number) · model_from_node (nodes) for kSkeleton, else it may be empty
/// Textures `textures` of LoadTextures for the same character, worth keeping for many pictures;
///          none: decoded for this picture, what cannot be decoded shows its base colour
/// Errors   kInvalidArgument (size, samples, camera or heat_max_mm without meaning) ·
///          kShapeMismatch (positions, normals, values or model_from_node; values missing for
///          kHeat) · kIndexOutOfRange · kInvalidValue (a position or a joint is not finite) ·
///          kOutOfMemory
/// Threads  the same pixels for any team; safe to call at once for several pictures
FLEXOR_API Result<Image> Draw(const asset::Character& character, std::span<const DrawMesh> meshes,
                              std::span<const Mat34d> model_from_node, const DrawSettings& settings,
                              const ThreadTeam& team, const TextureSet* textures = nullptr);

}  // namespace flexor::render
