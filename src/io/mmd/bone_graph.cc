#include "io/mmd/bone_graph.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "io/mmd/byte_reader.h"
#include "io/rules.h"

namespace flexor::io::mmd {
namespace {

/// Every circle of a graph in which each node has at most one way on: `next(i)` or kNoIndex. Calls
/// `found` with the nodes of the circle, and goes on as if it had been opened.
template <class Next, class Found>
void ForEachCircle(std::size_t count, Next&& next, Found&& found) {
  std::vector<std::uint32_t> walk(count, 0);  // the walk that came by first, counted from 1
  std::uint32_t now = 0;
  std::vector<std::size_t> circle;
  for (std::size_t start = 0; start < count; ++start) {
    if (walk[start] != 0) continue;
    ++now;
    std::size_t at = start;
    while (walk[at] == 0) {
      walk[at] = now;
      const std::int32_t further = next(at);
      if (further == kNoIndex) break;
      at = static_cast<std::size_t>(further);
      if (walk[at] != now) continue;
      circle.clear();
      for (std::size_t k = at;;) {
        circle.push_back(k);
        k = static_cast<std::size_t>(next(k));
        if (k == at) break;
      }
      found(circle);
      break;
    }
  }
}

std::string Named(const std::vector<PmxBone>& bones, std::size_t bone) {
  return "bone " + std::to_string(bone) + " " + Quoted(bones[bone].name);
}

bool DrivesMorphs(const PmxMorph& morph) {
  return morph.type == PmxMorphType::kGroup || morph.type == PmxMorphType::kFlip;
}

}  // namespace

std::optional<std::size_t> FindParentCycle(const std::vector<PmxBone>& bones) {
  std::optional<std::size_t> lowest;
  ForEachCircle(
      bones.size(), [&](std::size_t bone) { return bones[bone].parent; },
      [&](const std::vector<std::size_t>& circle) {
        const std::size_t bone = *std::min_element(circle.begin(), circle.end());
        if (!lowest || bone < *lowest) lowest = bone;
      });
  return lowest;
}

void BreakAppendCycles(std::vector<PmxBone>& bones, Diagnostics& diagnostics) {
  Tally tally;
  ForEachCircle(
      bones.size(),
      [&](std::size_t bone) {
        return bones[bone].appends() ? bones[bone].append_source : kNoIndex;
      },
      [&](const std::vector<std::size_t>& circle) {
        const std::size_t last = *std::max_element(circle.begin(), circle.end());
        tally.Add([&] {
          return Named(bones, last) + " appends to itself over " + std::to_string(circle.size()) +
                 " bones; its append is left out";
        });
        PmxBone& bone = bones[last];
        bone.flags = static_cast<std::uint16_t>(
            bone.flags & ~(kBoneAppendRotation | kBoneAppendTranslation | kBoneAppendLocal));
        bone.append_source = kNoIndex;
        bone.append_ratio = 0;
      });
  tally.ReportTo(diagnostics, "MMD_APPEND_CYCLE", "bones");
}

void DropOwnGoalLinks(std::vector<PmxBone>& bones, Diagnostics& diagnostics) {
  Tally tally;
  for (std::size_t i = 0; i < bones.size(); ++i) {
    std::erase_if(bones[i].ik.links, [&](const PmxIkLink& link) {
      if (link.bone != static_cast<std::int32_t>(i)) return false;
      tally.Add([&] { return Named(bones, i) + " is a link of the IK whose goal it is"; });
      return true;
    });
  }
  tally.ReportTo(diagnostics, "MMD_IK_LINK_DROPPED", "bones");
}

void BreakGroupCycles(std::vector<PmxMorph>& morphs, Diagnostics& diagnostics) {
  enum class Seen : std::uint8_t { kNot, kOpen, kDone };
  std::vector<Seen> seen(morphs.size(), Seen::kNot);
  struct Step {
    std::size_t morph;
    std::size_t entry;
  };
  // The stack is our own: a file may chain as many morphs as it likes.
  std::vector<Step> path;
  Tally tally;
  for (std::size_t start = 0; start < morphs.size(); ++start) {
    if (seen[start] != Seen::kNot) continue;
    seen[start] = Seen::kOpen;
    path.push_back({start, 0});
    while (!path.empty()) {
      Step& step = path.back();
      PmxMorph& morph = morphs[step.morph];
      if (!DrivesMorphs(morph) || step.entry == morph.group.size()) {
        seen[step.morph] = Seen::kDone;
        std::erase_if(morph.group, [](const PmxGroupEntry& e) { return e.morph < kNoIndex; });
        path.pop_back();
        continue;
      }
      PmxGroupEntry& entry = morph.group[step.entry++];
      if (entry.morph == kNoIndex) continue;
      const auto target = static_cast<std::size_t>(entry.morph);
      if (seen[target] == Seen::kOpen) {
        tally.Add([&] {
          return "morph " + std::to_string(step.morph) + " " + Quoted(morph.name) +
                 " drives morph " + std::to_string(target) + " " + Quoted(morphs[target].name) +
                 ", which drives it";
        });
        entry.morph = kNoIndex - 1;  // marked, and erased once the morph is done
      } else if (seen[target] == Seen::kNot) {
        seen[target] = Seen::kOpen;
        path.push_back({target, 0});
      }
    }
  }
  tally.ReportTo(diagnostics, "MMD_GROUP_MORPH_CYCLE", "morphs");
}

}  // namespace flexor::io::mmd
