#include <algorithm>
#include <numbers>
#include <utility>

#include "io/mmd/bone_graph.h"
#include "io/mmd/pmd_parser.h"

namespace flexor::io::mmd {
namespace {

constexpr std::uint64_t kBoneBytes = 39, kLeastIkBytes = 11;
constexpr std::size_t kNameBytes = 20;
constexpr std::uint8_t kBoneTypes = 10;
/// A PMX limit is this often that of a PMD.
constexpr float kLimitFactor = 4;
constexpr std::int32_t kIkLayer = 1;

/// Knees bend one way only. PMD does not say so; programs know the two bones by name.
constexpr float kKneeMin = -std::numbers::pi_v<float>;
constexpr float kKneeMax = -0.5f * std::numbers::pi_v<float> / 180;

bool IsKnee(std::string_view name) { return name == "左ひざ" || name == "右ひざ"; }

}  // namespace

Status PmdParser::Bones() {
  reader_.Enter({"bones", "bone"});
  const std::uint32_t count = reader_.Count<std::uint16_t>(
      kBoneBytes, sizeof(PmxBone) + sizeof(RawBone) + sizeof(std::string) + 4 * kNameBytes,
      budget_);
  model_.bones.resize(count);
  raw_bones_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    reader_.Begin(i);
    PmxBone& bone = model_.bones[i];
    RawBone& raw = raw_bones_[i];
    raw.offset = reader_.offset();
    const std::string_view name = RawName(kNameBytes);
    model_.pmd_names.bones.emplace_back(name);
    bone.name = Decoded(name);
    bone.parent = reader_.I16();
    raw.tail = reader_.I16();
    const std::uint8_t type = reader_.U8();
    raw.ik = reader_.I16();
    bone.position = reader_.F3();
    FLEXOR_TRY(reader_.status());
    if (bone.parent < kNoIndex || bone.parent >= static_cast<std::int32_t>(count)) {
      return ByteReader::At(ErrorCode::kIndexOutOfRange,
                            "the parent of " + reader_.Element() + " is " +
                                std::to_string(bone.parent) + ", but there are " +
                                std::to_string(count) + " bones",
                            reader_.Element(), raw.offset);
    }
    if (!IsFinite(bone.position)) {
      return ByteReader::At(ErrorCode::kInvalidValue,
                            "the position of " + reader_.Element() + " is not finite",
                            reader_.Element(), raw.offset);
    }
    if (type >= kBoneTypes) {
      unknown_.Add([&] {
        return "the type of " + reader_.Element() + " is " + std::to_string(type) +
               ", but only 0 to 9 exist; it turns and no more";
      });
    }
    raw.type = type < kBoneTypes ? static_cast<PmdBoneType>(type) : PmdBoneType::kUnknown;
  }
  FLEXOR_TRY(reader_.status());
  if (const auto cyclic = FindParentCycle(model_.bones)) {
    const std::string element = "bone " + std::to_string(*cyclic);
    return ByteReader::At(
        ErrorCode::kInvalidValue,
        element + " " + Quoted(model_.bones[*cyclic].name) + " is its own ancestor", element,
        raw_bones_[*cyclic].offset);
  }
  SettleBones();
  return {};
}

void PmdParser::SettleBones() {
  const auto count = static_cast<std::int32_t>(raw_bones_.size());
  Tally repaired;
  for (std::int32_t i = 0; i < count; ++i) {
    PmxBone& bone = model_.bones[static_cast<std::size_t>(i)];
    const RawBone& raw = raw_bones_[static_cast<std::size_t>(i)];
    const auto there = [&](std::int32_t index, std::string_view what) {
      if (index >= 0 && index < count) return true;
      repaired.Add([&] {
        return "the " + std::string(what) + " of bone " + std::to_string(i) + " " +
               Quoted(bone.name) + " is " + std::to_string(index) + ", but there are " +
               std::to_string(count) + " bones";
      });
      return false;
    };
    const auto append = [&](std::int32_t source, float ratio) {
      if (!there(source, "append source")) return 0;
      bone.append_source = source;
      bone.append_ratio = ratio;
      return static_cast<int>(kBoneAppendRotation);
    };
    int flags = kBoneTailIsBone | kBoneRotatable | kBoneVisible | kBoneOperable;
    // Tail 0 means none: no bone ends in the root.
    if (raw.tail > 0 && there(raw.tail, "tail")) bone.tail_bone = raw.tail;
    switch (raw.type) {
      case PmdBoneType::kRotate:
      case PmdBoneType::kUnknown:
      case PmdBoneType::kUnderIk:
        break;
      case PmdBoneType::kRotateMove:
        flags |= kBoneMovable;
        break;
      case PmdBoneType::kIk:
        flags |= kBoneMovable;
        bone.layer = kIkLayer;
        break;
      case PmdBoneType::kUnderRotation:
        flags |= append(raw.ik, 1);
        break;
      case PmdBoneType::kIkTarget:
      case PmdBoneType::kHidden:
        flags &= ~kBoneVisible;
        break;
      case PmdBoneType::kTwist:
        if (raw.tail >= 0 && there(raw.tail, "tail")) {
          bone.fixed_axis =
              Normalized(model_.bones[static_cast<std::size_t>(raw.tail)].position - bone.position);
          if (bone.fixed_axis != Vec3f{}) flags |= kBoneFixedAxis;
        }
        break;
      case PmdBoneType::kFollow:
        bone.tail_bone = kNoIndex;
        flags &= ~(kBoneVisible | kBoneTailIsBone);
        flags |= append(raw.tail, static_cast<float>(raw.ik) * 0.01f);
        break;
    }
    bone.flags = static_cast<std::uint16_t>(flags);
  }
  repaired.ReportTo(diagnostics_, "MMD_BONE_VALUE_REPAIRED", "bones");
  BreakAppendCycles(model_.bones, diagnostics_);
}

Status PmdParser::Iks() {
  reader_.Enter({"IK chains", "IK chain"});
  const std::uint32_t count =
      reader_.Count<std::uint16_t>(kLeastIkBytes, sizeof(RawIk) + sizeof(PmxBone), budget_);
  const std::size_t bones = raw_bones_.size();
  Tally dropped;
  for (std::uint32_t i = 0; i < count; ++i) {
    reader_.Begin(i);
    RawIk raw;
    raw.goal = reader_.U16();
    raw.ik.effector = reader_.U16();
    const std::uint8_t links = reader_.U8();
    raw.ik.iterations = reader_.U16();
    raw.ik.limit_angle = reader_.F32() * kLimitFactor;
    FLEXOR_TRY(reader_.status());
    if (const Status charged = budget_.Charge(links, sizeof(PmxIkLink), "IK links");
        !charged.ok()) {
      return charged;
    }
    for (int k = 0; k < links; ++k) {
      PmxIkLink link;
      link.bone = reader_.U16();
      FLEXOR_TRY(reader_.status());
      if (static_cast<std::size_t>(link.bone) >= bones) {
        dropped.Add([&] {
          return "link " + std::to_string(k) + " of " + reader_.Element() + " is bone " +
                 std::to_string(link.bone) + ", but there are " + std::to_string(bones);
        });
        continue;
      }
      if (IsKnee(model_.bones[static_cast<std::size_t>(link.bone)].name)) {
        link.has_limit = true;
        link.min = {kKneeMin, 0, 0};
        link.max = {kKneeMax, 0, 0};
      }
      raw.ik.links.push_back(link);
    }
    if (raw.goal < bones && static_cast<std::size_t>(raw.ik.effector) < bones &&
        IsFinite(raw.ik.limit_angle)) {
      raw_iks_.push_back(std::move(raw));
      continue;
    }
    dropped.Add([&] {
      return reader_.Element() + " has the goal " + std::to_string(raw.goal) +
             " and the effector " + std::to_string(raw.ik.effector) + ", but there are " +
             std::to_string(bones) + " bones; or its angle is not finite. It is left out whole";
    });
  }
  dropped.ReportTo(diagnostics_, "MMD_IK_LINK_DROPPED", "IK chains");
  return reader_.status();
}

void PmdParser::SettleIks() {
  Tally split;
  for (RawIk& raw : raw_iks_) {
    std::size_t goal = raw.goal;
    if (model_.bones[goal].has(kBoneIk)) {
      split.Add([&] {
        return "bone " + std::to_string(goal) + " " + Quoted(model_.bones[goal].name) +
               " is the goal of several IK chains";
      });
      const PmxBone& first = model_.bones[goal];
      PmxBone further;
      further.name = first.name + "+";
      further.name_en = first.name_en;
      further.position = first.position;
      further.parent = static_cast<std::int32_t>(goal);
      further.layer = first.layer;
      further.flags = kBoneRotatable;
      model_.pmd_names.bones.push_back(model_.pmd_names.bones[goal] + "+");
      model_.bones.push_back(std::move(further));
      goal = model_.bones.size() - 1;
      raw.goal = static_cast<std::uint32_t>(goal);
    }
    PmxBone& bone = model_.bones[goal];
    bone.flags = static_cast<std::uint16_t>(bone.flags | kBoneIk | kBoneMovable);
    bone.layer = std::max(bone.layer, kIkLayer);
    bone.ik = std::move(raw.ik);
  }
  split.ReportTo(diagnostics_, "MMD_IK_SPLIT", "IK chains");
  DropOwnGoalLinks(model_.bones, diagnostics_);
}

void PmdParser::SettleLayers() {
  // Chains are solved in the order of their list, which layers and bone numbers must give again.
  std::vector<PmxBone>& bones = model_.bones;
  std::int32_t layer = kIkLayer, last_layer = kIkLayer;
  std::size_t before = 0;
  for (std::size_t i = 0; i < raw_iks_.size(); ++i) {
    const std::size_t goal = raw_iks_[i].goal;
    if (i != 0 && goal < before) ++layer;
    layer = std::max(layer, bones[goal].layer);
    bones[goal].layer = layer;
    before = goal;
    last_layer = std::max(last_layer, layer);
  }
  // Appends take what IK has done to their source.
  for (PmxBone& bone : bones) {
    if (bone.appends()) bone.layer = std::max(bone.layer, last_layer + 1);
  }
  // No bone before its parent: up to the nearest ancestor that is settled, then down again.
  std::vector<bool> settled(bones.size());
  std::vector<std::size_t> path;
  for (std::size_t i = 0; i < bones.size(); ++i) {
    for (std::size_t at = i; !settled[at]; at = static_cast<std::size_t>(bones[at].parent)) {
      path.push_back(at);
      settled[at] = true;
      if (bones[at].parent == kNoIndex) break;
    }
    for (; !path.empty(); path.pop_back()) {
      PmxBone& bone = bones[path.back()];
      if (bone.parent == kNoIndex) continue;
      bone.layer = std::max(bone.layer, bones[static_cast<std::size_t>(bone.parent)].layer);
    }
  }
}

}  // namespace flexor::io::mmd
