/// @file deform/stage.h
/// The one order in which a vertex is deformed, written down once.
#pragma once

#include <cstdint>

namespace flexor::deform {

/// Stages run in this order. Morphs act in mesh space before skinning; muscles and the learned
/// deformer add differences in model space after it.
enum class Stage : std::uint8_t {
  kMorph = 1,    ///< morph targets and pose-space drivers: morph_accumulate.h
  kSkin = 2,     ///< one method per vertex: skin_lbs.h, skin_dqs.h
  kMuscle = 3,   ///< volumetric muscles
  kLearned = 4,  ///< ML deformer
};

}  // namespace flexor::deform
