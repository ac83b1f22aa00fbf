/// @file cli/write_character.h
/// Characters out as GLB or PMX, with what belongs beside them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/bake/motion_settings.h"
#include "flexor/bake/to_pmx.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/result.h"

#include "cli/shell.h"

namespace flexor::cli {

/// Files written, the main one first, and what could not be carried.
struct Written {
  std::vector<std::string> files;
  std::uint64_t bytes = 0;
  Diagnostics notes;
};

/// Writes a GLB; clips of a MikuMikuDance character are worked out as `motion` says.
Status WriteGlbFile(Shell& shell, const std::string& output, const asset::Character& character,
                    const bake::MotionSettings& motion, Written& written);

/// Writes a PMX model, its textures beside it, and each clip as a VMD named after the model.
Status WritePmxFile(Shell& shell, const std::string& output, const asset::Character& character,
                    double metres_per_unit, const io::mmd::PmxWriteOptions& how,
                    const bake::MotionSettings& motion, Written& written);

/// Writes a PMX model as it is.
Status WritePmxModel(Shell& shell, const std::string& output, const io::mmd::PmxModel& model,
                     const io::mmd::PmxWriteOptions& how, Written& written);

/// "wrote a.pmx and 2 files beside it, 1.2 MB".
void SayWritten(Shell& shell, const Written& written);

}  // namespace flexor::cli
