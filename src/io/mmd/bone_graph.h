/// @file io/mmd/bone_graph.h
/// Circles among bones and morphs, whichever format they came from.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "flexor/io/mmd/pmx.h"

namespace flexor::io::mmd {

/// A bone that is its own ancestor, the lowest such; parents must be kNoIndex or in the table.
std::optional<std::size_t> FindParentCycle(const std::vector<PmxBone>& bones);

/// Removes the append of the last bone of every circle of appends, with MMD_APPEND_CYCLE.
void BreakAppendCycles(std::vector<PmxBone>& bones, Diagnostics& diagnostics);

/// Leaves out links that are the goal of their own IK, with MMD_IK_LINK_DROPPED.
void DropOwnGoalLinks(std::vector<PmxBone>& bones, Diagnostics& diagnostics);

/// Leaves out the entries of group and flip morphs that close a circle, with MMD_GROUP_MORPH_CYCLE.
void BreakGroupCycles(std::vector<PmxMorph>& morphs, Diagnostics& diagnostics);

}  // namespace flexor::io::mmd
