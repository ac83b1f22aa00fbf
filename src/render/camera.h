// The rays of a picture.
#pragma once

#include "flexor/core/result.h"
#include "flexor/math/vec.h"
#include "flexor/render/draw.h"

namespace flexor::render {

/// Scene space: model space moved so that the middle of what is drawn is the origin and scaled so
/// that it fits the unit ball. All lengths inside the renderer are of this space, so no constant
/// depends on how large or how far away a character is.
struct SceneSpace {
  Vec3d center;
  double scale = 1;  ///< scene lengths per metre

  Vec3f FromModel(Vec3d p) const { return Cast<float>((p - center) * scale); }
};

/// The direction through the point (x, y) of a picture, pixels from its top left corner, is
/// corner + x * across + y * down; its component along `forward` is 1.
struct View {
  Vec3d eye;
  Vec3d right, up, forward;  ///< unit, right-handed with `forward` into the picture
  Vec3d corner, across, down;
};

/// Errors  kInvalidArgument where the camera has no direction or no field of view
Result<View> MakeView(const Camera& camera, int width, int height, const SceneSpace& space);

}  // namespace flexor::render
