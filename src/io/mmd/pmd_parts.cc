#include <optional>
#include <utility>

#include "io/mmd/pmd_parser.h"

namespace flexor::io::mmd {
namespace {

constexpr std::size_t kNameBytes = 20;
constexpr std::uint64_t kLeastMorphBytes = 25, kMorphEntryBytes = 16;
constexpr std::uint64_t kBodyBytes = 83, kJointBytes = 124;
constexpr std::uint8_t kBasePanel = 0, kMostPanel = 4;

}  // namespace

Status PmdParser::Morphs() {
  reader_.Enter({"morphs", "morph"});
  const std::uint32_t count = reader_.Count<std::uint16_t>(
      kLeastMorphBytes, sizeof(PmxMorph) + sizeof(std::string) + 4 * kNameBytes, budget_);
  model_.morphs.resize(count);
  file_morphs_ = count;
  for (std::uint32_t i = 0; i < count; ++i) {
    reader_.Begin(i);
    PmxMorph& morph = model_.morphs[i];
    const std::string_view name = RawName(kNameBytes);
    model_.pmd_names.morphs.emplace_back(name);
    morph.name = Decoded(name);
    const std::uint64_t count_at = reader_.offset();
    const std::uint32_t entries = reader_.U32();
    morph.panel = reader_.U8();
    FLEXOR_TRY(reader_.status());
    if (entries > reader_.remaining() / kMorphEntryBytes) {
      return ByteReader::At(ErrorCode::kTruncated,
                            reader_.Element() + " has " + std::to_string(entries) +
                                " entries of 16 bytes, but only " +
                                std::to_string(reader_.remaining()) + " bytes are left",
                            reader_.Element(), count_at);
    }
    FLEXOR_TRY(budget_.Charge(entries, sizeof(PmxVertexEntry), "morphs"));
    morph.vertex.resize(entries);
    for (PmxVertexEntry& entry : morph.vertex) {
      entry.vertex = reader_.U32();
      entry.offset = reader_.F3();
    }
    FLEXOR_TRY(reader_.status());
    if (morph.panel > kMostPanel) {
      unknown_.Add([&] {
        return "the panel of " + reader_.Element() + " is " + std::to_string(morph.panel) +
               ", but only 0 to 4 exist";
      });
    }
  }
  FLEXOR_TRY(reader_.status());
  SettleMorphs();
  return {};
}

/// Takes the base morph out and puts the vertices it names into the others.
void PmdParser::SettleMorphs() {
  std::vector<PmxMorph> all = std::move(model_.morphs);
  std::vector<std::string> names = std::move(model_.pmd_names.morphs);
  model_.morphs.clear();
  model_.pmd_names.morphs.clear();
  std::optional<std::size_t> base;
  for (std::size_t i = 0; i < all.size() && !base; ++i) {
    if (all[i].panel == kBasePanel) base = i;
  }
  if (!base && !all.empty()) {
    Report(diagnostics_, "PMD_NO_BASE_MORPH", "morphs",
           std::to_string(all.size()) + " morphs, none of which is the base");
  }
  const std::vector<PmxVertexEntry> real =
      base ? std::move(all[*base].vertex) : std::vector<PmxVertexEntry>();
  Tally dropped;
  for (std::size_t i = 0; i < all.size(); ++i) {
    PmxMorph& morph = all[i];
    if (morph.panel == kBasePanel) {
      morph_now_.push_back(kNoIndex);
      if (i != *base) {
        dropped.Add(
            [&] { return "morph " + std::to_string(i) + " is a second base, left out whole"; });
      }
      continue;
    }
    std::size_t at = 0;
    std::erase_if(morph.vertex, [&](PmxVertexEntry& entry) {
      const std::size_t number = at++;
      const bool known = entry.vertex < real.size() &&
                         real[entry.vertex].vertex < model_.vertices.size() &&
                         IsFinite(entry.offset);
      if (known) {
        entry.vertex = real[entry.vertex].vertex;
        return false;
      }
      dropped.Add([&] {
        return "entry " + std::to_string(number) + " of morph " + std::to_string(i) + " " +
               Quoted(morph.name) + " names number " + std::to_string(entry.vertex) +
               " of the base, which has " + std::to_string(real.size()) +
               ", or a vertex that is not there, or is not finite";
      });
      return true;
    });
    morph_now_.push_back(static_cast<std::int32_t>(model_.morphs.size()));
    model_.morphs.push_back(std::move(morph));
    model_.pmd_names.morphs.push_back(std::move(names[i]));
  }
  dropped.ReportTo(diagnostics_, "MMD_MORPH_ENTRY_DROPPED", "morphs");
}

Status PmdParser::Bodies() {
  reader_.Enter({"rigid bodies", "rigid body"});
  const std::uint32_t count = reader_.Count<std::uint32_t>(
      kBodyBytes, sizeof(PmxRigidBody) + sizeof(std::int32_t) + 2 * kNameBytes, budget_);
  Tally dropped;
  for (std::uint32_t i = 0; i < count; ++i) {
    reader_.Begin(i);
    PmxRigidBody body;
    body.name = Name(kNameBytes);
    body.bone = reader_.I16();
    const RawBodyKinds kinds = ReadNumbers(reader_, body);
    FLEXOR_TRY(reader_.status());
    std::string fault = FaultOf(body, kinds, raw_bones_.size());
    if (fault.empty() && !raw_bones_.empty()) {
      // Stored from its bone on; without one, from the first.
      body.position += model_.bones[static_cast<std::size_t>(std::max(body.bone, 0))].position;
      if (!IsFinite(body.position)) fault = "lies too far away";
    }
    if (!fault.empty()) {
      dropped.Add([&] { return reader_.Element() + " " + Quoted(body.name) + " " + fault; });
      fate_.now.push_back(BodyFate::kDropped);
      continue;
    }
    Believe(kinds, body);
    fate_.now.push_back(static_cast<std::int32_t>(model_.bodies.size()));
    model_.bodies.push_back(std::move(body));
  }
  dropped.ReportTo(diagnostics_, "MMD_BODY_DROPPED", "rigid bodies");
  return reader_.status();
}

Status PmdParser::Joints() {
  reader_.Enter({"joints", "joint"});
  const std::uint32_t count =
      reader_.Count<std::uint32_t>(kJointBytes, sizeof(PmxJoint) + 2 * kNameBytes, budget_);
  Tally dropped, reversed;
  for (std::uint32_t i = 0; i < count; ++i) {
    reader_.Begin(i);
    PmxJoint joint;
    joint.name = Name(kNameBytes);
    const std::int32_t body_a = reader_.I32(), body_b = reader_.I32();
    ReadNumbers(reader_, joint);
    FLEXOR_TRY(reader_.status());
    joint.body_a = fate_.Of(body_a);
    joint.body_b = fate_.Of(body_b);
    std::string fault = FaultOf(joint, 0);
    if (joint.body_a == BodyFate::kDropped || joint.body_b == BodyFate::kDropped) {
      fault = "ties the rigid bodies " + std::to_string(body_a) + " and " + std::to_string(body_b) +
              ", of which one is not there; there are " + std::to_string(fate_.now.size());
    }
    if (!fault.empty()) {
      dropped.Add([&] { return reader_.Element() + " " + Quoted(joint.name) + " " + fault; });
      continue;
    }
    if (HasReversedLimits(joint)) {
      reversed.Add([&] {
        return reader_.Element() + " " + Quoted(joint.name) + " has a minimum above its maximum";
      });
    }
    model_.joints.push_back(std::move(joint));
  }
  dropped.ReportTo(diagnostics_, "MMD_JOINT_DROPPED", "joints");
  reversed.ReportTo(diagnostics_, "MMD_JOINT_LIMITS_REVERSED", "joints");
  return reader_.status();
}

}  // namespace flexor::io::mmd
