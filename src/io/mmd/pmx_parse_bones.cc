#include "io/mmd/bone_graph.h"
#include "io/mmd/pmx_parser.h"

namespace flexor::io::mmd {
namespace {

/// Two names, position, parent and tail of a byte, layer, flags.
constexpr std::uint64_t kLeastBoneBytes = 8 + 12 + 1 + 4 + 2 + 1;
constexpr std::uint16_t kKnownFlags = 0x3fbf;

}  // namespace

void PmxParser::Ik(PmxIk& ik, const Table& bones) {
  ik.effector = Index(model_.widths.bone);
  Require(ik.effector, bones, "the IK effector");
  ik.iterations = reader_.I32();
  ik.limit_angle = reader_.F32();
  const std::uint32_t count =
      reader_.Count<std::int32_t>(model_.widths.bone + 1u, sizeof(PmxIkLink), budget_);
  ik.links.resize(count);
  for (PmxIkLink& link : ik.links) {
    link.bone = Index(model_.widths.bone);
    Require(link.bone, bones, "an IK link");
    link.has_limit = Flag();
    if (link.has_limit) {
      link.min = reader_.F3();
      link.max = reader_.F3();
    }
    if (!IsFinite(link.min, link.max)) {
      reader_.Fail(ErrorCode::kInvalidValue,
                   "an IK limit of " + reader_.Element() + " is not finite");
    }
    if (!reader_.ok()) return;
  }
}

void PmxParser::Bone(PmxBone& bone, const Table& bones) {
  const std::uint8_t width = model_.widths.bone;
  bone.name = Text();
  bone.name_en = Text();
  bone.position = reader_.F3();
  bone.parent = Index(width);
  Require(bone.parent, bones, "the parent");
  bone.layer = reader_.I32();
  bone.flags = reader_.U16();
  if (bone.has(kBoneTailIsBone)) {
    bone.tail_bone = Index(width);
  } else {
    bone.tail_offset = reader_.F3();
  }
  if (bone.appends()) {
    bone.append_source = Index(width);
    Require(bone.append_source, bones, "the append source");
    bone.append_ratio = reader_.F32();
  }
  if (bone.has(kBoneFixedAxis)) bone.fixed_axis = reader_.F3();
  if (bone.has(kBoneLocalAxes)) {
    bone.local_x = reader_.F3();
    bone.local_z = reader_.F3();
  }
  if (bone.has(kBoneExternalParent)) bone.external_key = reader_.I32();
  if (bone.has(kBoneIk)) Ik(bone.ik, bones);
  if (!IsFinite(bone.position, bone.append_ratio, bone.ik.limit_angle)) {
    reader_.Fail(ErrorCode::kInvalidValue, "the position, append ratio or IK angle of " +
                                               reader_.Element() + " is not finite");
  }
}

Status PmxParser::Bones() {
  reader_.Enter({"bones", "bone"});
  const std::uint32_t count = reader_.Count<std::int32_t>(
      kLeastBoneBytes, sizeof(PmxBone) + sizeof(std::uint64_t), budget_);
  const Table bones{"bones", count};
  model_.bones.resize(count);
  std::vector<std::uint64_t> starts(count);
  Tally repaired;
  for (std::uint32_t i = 0; i < count; ++i) {
    reader_.Begin(i);
    starts[i] = reader_.offset();
    PmxBone& bone = model_.bones[i];
    Bone(bone, bones);
    FLEXOR_TRY(reader_.status());
    if (!Names(bone.tail_bone, count)) {
      repaired.Add([&] {
        return "the tail of " + Here(bone.name) + " is bone " + std::to_string(bone.tail_bone) +
               ", but there are " + std::to_string(count);
      });
      bone.tail_bone = kNoIndex;
    }
    for (Vec3f* axis : {&bone.tail_offset, &bone.fixed_axis, &bone.local_x, &bone.local_z}) {
      if (IsFinite(*axis)) continue;
      repaired.Add([&] { return "an axis of " + Here(bone.name) + " is not finite; it is 0 now"; });
      *axis = {};
    }
    Unknown((bone.flags & ~kKnownFlags) != 0, [&] {
      return "the flags of " + Here(bone.name) + " are " + std::to_string(bone.flags) +
             ", of which not all are known";
    });
  }
  FLEXOR_TRY(reader_.status());
  repaired.ReportTo(diagnostics_, "MMD_BONE_VALUE_REPAIRED", "bones");
  if (const auto cyclic = FindParentCycle(model_.bones)) {
    const std::string element = "bone " + std::to_string(*cyclic);
    return ByteReader::At(
        ErrorCode::kInvalidValue,
        element + " " + Quoted(model_.bones[*cyclic].name) + " is its own ancestor", element,
        starts[*cyclic]);
  }
  BreakAppendCycles(model_.bones, diagnostics_);
  DropOwnGoalLinks(model_.bones, diagnostics_);
  return {};
}

}  // namespace flexor::io::mmd
