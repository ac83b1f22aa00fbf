#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "flexor/io/mmd/text_cp932.h"

#include "io/mmd/convert.h"
#include "io/rules.h"

namespace flexor::io::mmd {
namespace {

std::string Quoted(const PmxBone& bone) { return "'" + bone.name + "'"; }

/// The chain that a goal bone owns; false when it has no effector or nothing to turn.
bool ConvertIk(const PmxModel& model, std::uint32_t goal, asset::MmdIk& chain) {
  const PmxIk& ik = model.bones[goal].ik;
  if (ik.effector == kNoIndex) return false;
  chain.goal = goal;
  chain.effector = static_cast<std::uint32_t>(ik.effector);
  chain.iterations = ik.iterations > 0 ? static_cast<std::uint32_t>(ik.iterations) : 0;
  chain.step_limit = std::abs(static_cast<double>(ik.limit_angle));
  for (const PmxIkLink& link : ik.links) {
    if (link.bone == kNoIndex) continue;
    asset::MmdIkLink out;
    out.bone = static_cast<std::uint32_t>(link.bone);
    out.limited = link.has_limit;
    if (link.has_limit) {
      // Some files have a minimum above its maximum; every program swaps them.
      const Vec3f low{std::min(link.min.x, link.max.x), std::min(link.min.y, link.max.y),
                      std::min(link.min.z, link.max.z)};
      const Vec3f high{std::max(link.min.x, link.max.x), std::max(link.min.y, link.max.y),
                       std::max(link.min.z, link.max.z)};
      std::tie(out.min, out.max) = Space::AngleLimits(low, high);
    }
    chain.links.push_back(out);
  }
  return !chain.links.empty();
}

// A motion names its bones, so it moves the first of several that are called alike.
void ReportEqualNames(const asset::MmdRig& rig, const PmxModel& model, Diagnostics& diagnostics) {
  std::unordered_map<std::string_view, std::size_t> first;
  Tally equal;
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const std::string& name = rig.bones[b].match_name;
    if (name.empty()) continue;
    const auto [entry, fresh] = first.try_emplace(name, b);
    if (fresh) continue;
    equal.Add([&] {
      return "bones " + std::to_string(entry->second) + " and " + std::to_string(b) +
             " have one name in a motion: " + Quoted(model.bones[entry->second]) + " and " +
             Quoted(model.bones[b]);
    });
  }
  equal.ReportTo(diagnostics, "MMD_BONE_NAME_TWICE", "bones");
}

}  // namespace

void ConvertBones(const PmxModel& model, const Space& space, asset::Character& character,
                  Diagnostics& diagnostics) {
  asset::MmdRig& rig = *character.mmd;
  const std::size_t count = model.bones.size();
  character.nodes.reserve(count);
  rig.bones.reserve(count);
  Tally empty_ik, empty_axis;
  const bool has_bytes = model.pmd_names.bones.size() == count;
  for (std::uint32_t b = 0; b < count; ++b) {
    const PmxBone& bone = model.bones[b];
    asset::Node node;
    node.name = bone.name;
    node.parent = bone.parent;
    const Vec3d at = space.Point(bone.position);
    node.rest.translation =
        bone.parent == kNoIndex
            ? at
            : at - space.Point(model.bones[static_cast<std::size_t>(bone.parent)].position);
    character.nodes.push_back(std::move(node));

    asset::MmdBone out;
    out.layer = bone.layer;
    out.after_physics = bone.has(kBoneAfterPhysics);
    out.match_name =
        has_bytes ? std::string(CutForMatch(model.pmd_names.bones[b])) : MatchBytes(bone.name);
    if (bone.appends() && bone.append_source != kNoIndex) {
      asset::MmdAppend append;
      append.source = static_cast<std::uint32_t>(bone.append_source);
      append.ratio = bone.append_ratio;
      append.rotation = bone.has(kBoneAppendRotation);
      append.translation = bone.has(kBoneAppendTranslation);
      append.local = bone.has(kBoneAppendLocal);
      out.append = append;
    }
    if (bone.has(kBoneFixedAxis)) {
      const Vec3d axis = Space::Direction(Cast<double>(bone.fixed_axis));
      if (Length(axis) > 0) {
        out.fixed_axis = Normalized(axis);
      } else {
        empty_axis.Add([&] { return "bone " + Quoted(bone) + " has the fixed axis (0, 0, 0)"; });
      }
    }
    if (bone.has(kBoneExternalParent)) out.external_parent = bone.external_key;
    if (bone.has(kBoneIk)) {
      asset::MmdIk chain;
      if (ConvertIk(model, b, chain)) {
        out.ik = static_cast<std::int32_t>(rig.ik.size());
        rig.ik.push_back(std::move(chain));
      } else {
        empty_ik.Add([&] {
          return "the IK of bone " + Quoted(bone) + " has no " +
                 (bone.ik.effector == kNoIndex ? "target bone" : "link");
        });
      }
    }
    rig.bones.push_back(std::move(out));
  }
  ReportEqualNames(rig, model, diagnostics);
  empty_ik.ReportTo(diagnostics, "MMD_IK_EMPTY", "bones");
  empty_axis.ReportTo(diagnostics, "MMD_FIXED_AXIS_ZERO", "bones");

  if (count == 0) return;
  asset::Skin skin;
  skin.name = "bones";
  skin.joints.reserve(count);
  skin.joint_from_mesh.reserve(count);
  for (std::uint32_t b = 0; b < count; ++b) {
    skin.joints.push_back(b);
    Mat34d from_mesh;
    from_mesh.translation = -space.Point(model.bones[b].position);
    skin.joint_from_mesh.push_back(from_mesh);
  }
  character.skins.push_back(std::move(skin));
}

}  // namespace flexor::io::mmd
