// From samples to pixels.
#pragma once

#include "flexor/core/parallel.h"
#include "flexor/render/image.h"

#include "render/shader.h"

namespace flexor::render {

/// Fills a picture tile by tile. Every pixel depends on its place alone, not on the tiling or the
/// team.
void Expose(const Shader& shader, const ThreadTeam& team, Image& image);

}  // namespace flexor::render
