#include "io/mmd/bone_graph.h"
#include "io/mmd/pmx_parser.h"

namespace flexor::io::mmd {
namespace {

/// Two names, panel, type and count.
constexpr std::uint64_t kLeastMorphBytes = 8 + 1 + 1 + 4;
constexpr std::uint8_t kMostPanel = 4;
constexpr std::uint64_t kMaterialEntryBytes = 1 + 16 + 12 + 4 + 12 + 16 + 4 + 3 * 16;
/// Two names, the special flag and a count.
constexpr std::uint64_t kLeastFrameBytes = 8 + 1 + 4;

}  // namespace

/// Reads `count` entries; `read` fills one and says why it must go, or nothing.
template <class Entry, class Read>
void PmxParser::Entries(std::vector<Entry>& out, const PmxMorph& morph, std::uint64_t least_bytes,
                        Read&& read) {
  const std::uint32_t count = reader_.Count<std::int32_t>(least_bytes, sizeof(Entry), budget_);
  out.reserve(count);
  for (std::uint32_t i = 0; i < count && reader_.ok(); ++i) {
    Entry entry;
    const std::string_view fault = read(entry);
    if (!reader_.ok()) return;
    if (fault.empty()) {
      out.push_back(entry);
    } else {
      entries_dropped_.Add([&] {
        return "entry " + std::to_string(i) + " of " + Here(morph.name) + " " + std::string(fault);
      });
    }
  }
}

void PmxParser::Morph(PmxMorph& morph, const Table& morphs) {
  constexpr std::string_view kNothing = "refers to an element that does not exist";
  constexpr std::string_view kNotFinite = "is not finite";
  constexpr std::string_view kUnknownOperation = "has an operation other than 0 and 1";
  const PmxWidths& widths = model_.widths;
  morph.name = Text();
  morph.name_en = Text();
  morph.panel = reader_.U8();
  const std::uint8_t type = reader_.U8();
  if (type > static_cast<std::uint8_t>(PmxMorphType::kImpulse)) {
    reader_.Fail(ErrorCode::kInvalidValue,
                 "the type of " + Here(morph.name) + " is " + std::to_string(type) +
                     ", but only 0 to 10 exist",
                 reader_.offset() - 1);
    return;
  }
  morph.type = static_cast<PmxMorphType>(type);
  switch (morph.type) {
    case PmxMorphType::kGroup:
    case PmxMorphType::kFlip:
      Entries(morph.group, morph, widths.morph + 4u, [&](PmxGroupEntry& e) {
        e.morph = Index(widths.morph);
        e.rate = reader_.F32();
        if (!Names(e.morph, morphs.size)) return kNothing;
        return IsFinite(e.rate) ? std::string_view() : kNotFinite;
      });
      return;
    case PmxMorphType::kVertex:
      Entries(morph.vertex, morph, widths.vertex + 12u, [&](PmxVertexEntry& e) {
        e.vertex = VertexIndex();
        e.offset = reader_.F3();
        if (e.vertex >= model_.vertices.size()) return kNothing;
        return IsFinite(e.offset) ? std::string_view() : kNotFinite;
      });
      return;
    case PmxMorphType::kBone:
      Entries(morph.bone, morph, widths.bone + 28u, [&](PmxBoneEntry& e) {
        e.bone = Index(widths.bone);
        e.translation = reader_.F3();
        e.rotation = reader_.Q4();
        if (!Names(e.bone, model_.bones.size())) return kNothing;
        return IsFinite(e.translation, e.rotation) ? std::string_view() : kNotFinite;
      });
      return;
    case PmxMorphType::kUv:
    case PmxMorphType::kUv1:
    case PmxMorphType::kUv2:
    case PmxMorphType::kUv3:
    case PmxMorphType::kUv4:
      Entries(morph.uv, morph, widths.vertex + 16u, [&](PmxUvEntry& e) {
        e.vertex = VertexIndex();
        e.offset = reader_.F4();
        if (e.vertex >= model_.vertices.size()) return kNothing;
        return IsFinite(e.offset) ? std::string_view() : kNotFinite;
      });
      return;
    case PmxMorphType::kMaterial:
      Entries(morph.material, morph, widths.material + kMaterialEntryBytes,
              [&](PmxMaterialEntry& e) {
                e.material = Index(widths.material);
                e.operation = reader_.U8();
                e.diffuse = reader_.F4();
                e.specular = reader_.F3();
                e.shininess = reader_.F32();
                e.ambient = reader_.F3();
                e.edge_color = reader_.F4();
                e.edge_size = reader_.F32();
                e.texture = reader_.F4();
                e.sphere = reader_.F4();
                e.toon = reader_.F4();
                if (!Names(e.material, model_.materials.size())) return kNothing;
                if (e.operation > 1) return kUnknownOperation;
                return IsFinite(e.diffuse, e.specular, e.shininess, e.ambient, e.edge_color,
                                e.edge_size, e.texture, e.sphere, e.toon)
                           ? std::string_view()
                           : kNotFinite;
              });
      return;
    case PmxMorphType::kImpulse:
      // Bodies come later in the file: Impulses() looks at their indices.
      Entries(morph.impulse, morph, widths.body + 25u, [&](PmxImpulseEntry& e) {
        e.body = Index(widths.body);
        e.local = Flag();
        e.velocity = reader_.F3();
        e.torque = reader_.F3();
        return IsFinite(e.velocity, e.torque) ? std::string_view() : kNotFinite;
      });
      return;
  }
}

Status PmxParser::Morphs() {
  reader_.Enter({"morphs", "morph"});
  const std::uint32_t count =
      reader_.Count<std::int32_t>(kLeastMorphBytes, sizeof(PmxMorph), budget_);
  model_.morphs.resize(count);
  const Table morphs{"morphs", count};
  for (std::uint32_t i = 0; i < count; ++i) {
    reader_.Begin(i);
    PmxMorph& morph = model_.morphs[i];
    Morph(morph, morphs);
    FLEXOR_TRY(reader_.status());
    Needs21(morph.type >= PmxMorphType::kFlip, [&] {
      return Here(morph.name) + " is of type " + std::to_string(static_cast<int>(morph.type));
    });
    Unknown(morph.panel > kMostPanel, [&] {
      return "the panel of " + Here(morph.name) + " is " + std::to_string(morph.panel) +
             ", but only 0 to 4 exist";
    });
  }
  FLEXOR_TRY(reader_.status());
  BreakGroupCycles(model_.morphs, diagnostics_);
  return {};
}

void PmxParser::Impulses(const BodyFate& fate) {
  for (std::size_t i = 0; i < model_.morphs.size(); ++i) {
    PmxMorph& morph = model_.morphs[i];
    std::erase_if(morph.impulse, [&](PmxImpulseEntry& entry) {
      const std::int32_t now = fate.Of(entry.body);
      if (now == BodyFate::kDropped) {
        entries_dropped_.Add([&] {
          return "an entry of morph " + std::to_string(i) + " " + Quoted(morph.name) +
                 " names rigid body " + std::to_string(entry.body) + ", which is not there";
        });
        return true;
      }
      entry.body = now;
      return false;
    });
  }
  entries_dropped_.ReportTo(diagnostics_, "MMD_MORPH_ENTRY_DROPPED", "morphs");
}

Status PmxParser::Frames() {
  reader_.Enter({"display frames", "display frame"});
  const std::uint32_t count =
      reader_.Count<std::int32_t>(kLeastFrameBytes, sizeof(PmxDisplayFrame), budget_);
  model_.frames.resize(count);
  Tally dropped;
  for (std::uint32_t i = 0; i < count; ++i) {
    reader_.Begin(i);
    PmxDisplayFrame& frame = model_.frames[i];
    frame.name = Text();
    frame.name_en = Text();
    frame.special = Flag();
    const std::uint32_t entries = reader_.Count<std::int32_t>(
        1u + std::min(model_.widths.bone, model_.widths.morph), sizeof(PmxFrameEntry), budget_);
    frame.entries.reserve(entries);
    for (std::uint32_t k = 0; k < entries && reader_.ok(); ++k) {
      const std::uint8_t kind = reader_.U8();
      if (kind > 1) {
        reader_.Fail(ErrorCode::kInvalidValue,
                     "the kind of entry " + std::to_string(k) + " of " + Here(frame.name) + " is " +
                         std::to_string(kind) + ", but only 0 and 1 exist",
                     reader_.offset() - 1);
        break;
      }
      const PmxFrameEntry entry{kind == 1,
                                Index(kind == 1 ? model_.widths.morph : model_.widths.bone)};
      const std::size_t size = kind == 1 ? model_.morphs.size() : model_.bones.size();
      if (!reader_.ok()) break;
      if (Names(entry.index, size)) {
        frame.entries.push_back(entry);
      } else {
        dropped.Add([&] {
          return "entry " + std::to_string(k) + " of " + Here(frame.name) + " is " +
                 std::to_string(entry.index) + ", but there are " + std::to_string(size) +
                 (kind == 1 ? " morphs" : " bones");
        });
      }
    }
    FLEXOR_TRY(reader_.status());
  }
  dropped.ReportTo(diagnostics_, "MMD_FRAME_ENTRY_DROPPED", "display frames");
  return reader_.status();
}

}  // namespace flexor::io::mmd
