#include <algorithm>
#include <utility>

#include "io/mmd/pmx_parser.h"

namespace flexor::io::mmd {
namespace {

/// Two names, bone, group, mask, shape, nine and five floats, mode.
constexpr std::uint64_t kLeastBodyBytes = 8 + 1 + 1 + 2 + 1 + 36 + 20 + 1;
/// Two names, type, two bodies, eight vectors.
constexpr std::uint64_t kLeastJointBytes = 8 + 1 + 2 + 96;
/// Two names, shape, material, group, mask, flags, 5 x 4, 12 + 6 floats, 7 x 4, two counts.
constexpr std::uint64_t kLeastSoftBytes = 8 + 1 + 1 + 1 + 2 + 1 + 20 + 72 + 28 + 8;

}  // namespace

Result<BodyFate> PmxParser::Bodies() {
  reader_.Enter({"rigid bodies", "rigid body"});
  const std::uint32_t count = reader_.Count<std::int32_t>(
      kLeastBodyBytes, sizeof(PmxRigidBody) + sizeof(std::int32_t), budget_);
  model_.bodies.reserve(count);
  BodyFate fate;
  fate.now.reserve(count);
  Tally dropped;
  for (std::uint32_t i = 0; i < count; ++i) {
    reader_.Begin(i);
    PmxRigidBody body;
    body.name = Text();
    body.name_en = Text();
    body.bone = Index(model_.widths.bone);
    const RawBodyKinds kinds = ReadNumbers(reader_, body);
    FLEXOR_TRY(reader_.status());
    const std::string fault = FaultOf(body, kinds, model_.bones.size());
    if (!fault.empty()) {
      dropped.Add([&] { return Here(body.name) + " " + fault; });
      fate.now.push_back(BodyFate::kDropped);
      continue;
    }
    Believe(kinds, body);
    fate.now.push_back(static_cast<std::int32_t>(model_.bodies.size()));
    model_.bodies.push_back(std::move(body));
  }
  FLEXOR_TRY(reader_.status());
  dropped.ReportTo(diagnostics_, "MMD_BODY_DROPPED", "rigid bodies");
  return fate;
}

Status PmxParser::Joints(const BodyFate& fate) {
  reader_.Enter({"joints", "joint"});
  const std::uint32_t count =
      reader_.Count<std::int32_t>(kLeastJointBytes, sizeof(PmxJoint), budget_);
  model_.joints.reserve(count);
  Tally dropped, reversed;
  for (std::uint32_t i = 0; i < count; ++i) {
    reader_.Begin(i);
    PmxJoint joint;
    joint.name = Text();
    joint.name_en = Text();
    const std::uint8_t type = reader_.U8();
    const std::int32_t body_a = Index(model_.widths.body), body_b = Index(model_.widths.body);
    ReadNumbers(reader_, joint);
    FLEXOR_TRY(reader_.status());
    joint.body_a = fate.Of(body_a);
    joint.body_b = fate.Of(body_b);
    std::string fault = FaultOf(joint, type);
    if (joint.body_a == BodyFate::kDropped || joint.body_b == BodyFate::kDropped) {
      fault = "ties the rigid bodies " + std::to_string(body_a) + " and " + std::to_string(body_b) +
              ", of which one is not there; there are " + std::to_string(fate.now.size());
    }
    if (!fault.empty()) {
      dropped.Add([&] { return Here(joint.name) + " " + fault; });
      continue;
    }
    joint.type = static_cast<PmxJointType>(type);
    Needs21(type != 0, [&] { return Here(joint.name) + " is of type " + std::to_string(type); });
    if (HasReversedLimits(joint)) {
      reversed.Add([&] { return Here(joint.name) + " has a minimum above its maximum"; });
    }
    model_.joints.push_back(std::move(joint));
  }
  FLEXOR_TRY(reader_.status());
  dropped.ReportTo(diagnostics_, "MMD_JOINT_DROPPED", "joints");
  reversed.ReportTo(diagnostics_, "MMD_JOINT_LIMITS_REVERSED", "joints");
  return {};
}

Status PmxParser::SoftBodies(const BodyFate& fate) {
  reader_.Enter({"soft bodies", "soft body"});
  const std::uint32_t count =
      reader_.Count<std::int32_t>(kLeastSoftBytes, sizeof(PmxSoftBody), budget_);
  model_.soft_bodies.reserve(count);
  const std::size_t vertices = model_.vertices.size();
  Tally dropped;
  for (std::uint32_t i = 0; i < count; ++i) {
    reader_.Begin(i);
    PmxSoftBody soft;
    soft.name = Text();
    soft.name_en = Text();
    soft.shape = reader_.U8();
    soft.material = Index(model_.widths.material);
    soft.group = reader_.U8();
    soft.collides_with = reader_.U16();
    soft.flags = reader_.U8();
    soft.b_link_distance = reader_.I32();
    soft.cluster_count = reader_.I32();
    soft.total_mass = reader_.F32();
    soft.collision_margin = reader_.F32();
    soft.aero_model = reader_.I32();
    bool whole = IsFinite(soft.total_mass, soft.collision_margin);
    for (float& number : soft.config) whole &= IsFinite(number = reader_.F32());
    for (float& number : soft.cluster) whole &= IsFinite(number = reader_.F32());
    for (std::int32_t& number : soft.iterations) number = reader_.I32();
    for (std::uint32_t& bits : soft.stiffness) bits = reader_.U32();
    const std::uint32_t anchors = reader_.Count<std::int32_t>(
        model_.widths.body + model_.widths.vertex + 1u, sizeof(PmxAnchor), budget_);
    soft.anchors.resize(anchors);
    bool found = Names(soft.material, model_.materials.size());
    for (PmxAnchor& anchor : soft.anchors) {
      anchor.body = fate.Of(Index(model_.widths.body));
      anchor.vertex = VertexIndex();
      anchor.near_mode = reader_.U8();
      found &= anchor.body != BodyFate::kDropped && anchor.vertex < vertices;
    }
    const std::uint32_t pins =
        reader_.Count<std::int32_t>(model_.widths.vertex, sizeof(std::uint32_t), budget_);
    soft.pins.resize(pins);
    for (std::uint32_t& pin : soft.pins) {
      pin = VertexIndex();
      found &= pin < vertices;
    }
    FLEXOR_TRY(reader_.status());
    if (whole && found && soft.shape <= 1 && soft.group <= 15) {
      model_.soft_bodies.push_back(std::move(soft));
      continue;
    }
    dropped.Add([&] {
      return Here(soft.name) + (!whole   ? " has a number that is not finite"
                                : !found ? " names a material, body or vertex that is not there"
                                         : " has an unknown shape or group");
    });
  }
  FLEXOR_TRY(reader_.status());
  dropped.ReportTo(diagnostics_, "MMD_SOFT_BODY_DROPPED", "soft bodies");
  return {};
}

}  // namespace flexor::io::mmd
