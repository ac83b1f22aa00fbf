#include <algorithm>
#include <utility>

#include "flexor/io/mmd/text_cp932.h"

#include "io/mmd/bone_graph.h"
#include "io/mmd/faces.h"
#include "io/mmd/pmd_parser.h"

namespace flexor::io::mmd {
namespace {

constexpr std::size_t kNameBytes = 20, kCommentBytes = 256, kGroupNameBytes = 50, kToonBytes = 100;
constexpr std::uint64_t kVertexBytes = 38, kMaterialBytes = 70;
constexpr std::uint16_t kNoBone = 0xffff;
constexpr std::uint8_t kWhole = 100;  // percent
constexpr int kToons = 10;
/// The opacity that means: takes no part in self shadow.
constexpr float kNoShadowAlpha = 0.98f;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// The number of a toon texture that every program brings along: "toon01.bmp" is 0. -1 for others.
std::int32_t SharedToon(std::string_view name) {
  const std::string lower = Lower(name);
  for (int i = 0; i < kToons; ++i) {
    const std::string number = (i < 9 ? "0" : "") + std::to_string(i + 1);
    if (lower == "toon" + number + ".bmp") return i;
  }
  return -1;
}

}  // namespace

std::string_view PmdParser::RawName(std::size_t bytes) {
  const auto taken = reader_.Take(bytes, "a text");
  const std::string_view all(reinterpret_cast<const char*>(taken.data()), taken.size());
  return all.substr(0, all.find('\0'));
}

std::string PmdParser::Decoded(std::string_view bytes) {
  Cp932Decoded decoded = DecodeCp932(bytes);
  if (decoded.bad_bytes != 0) {
    text_.Add([&] {
      return reader_.Element() + ": the text " + Quoted(decoded.text) + " had " +
             std::to_string(decoded.bad_bytes) + " bad bytes";
    });
  }
  return std::move(decoded.text);
}

Status PmdParser::Header() {
  reader_.Enter({"header", "header"});
  const auto magic = reader_.Take(3, "the signature");
  FLEXOR_TRY(reader_.status());
  if (std::string_view(reinterpret_cast<const char*>(magic.data()), magic.size()) != "Pmd") {
    return ByteReader::At(ErrorCode::kUnknownFormat, "the file does not start with 'Pmd'", "header",
                          0);
  }
  const float version = reader_.F32();
  if (version != 1.0f) {
    unknown_.Add(
        [&] { return "the version is " + std::to_string(version) + ", but only 1.0 exists"; });
  }
  model_.name = Name(kNameBytes);
  model_.comment = Name(kCommentBytes);
  return reader_.status();
}

Status PmdParser::Vertices() {
  reader_.Enter({"vertices", "vertex"});
  const std::uint32_t count =
      reader_.Count<std::uint32_t>(kVertexBytes, sizeof(PmxVertex), budget_);
  vertices_at_ = reader_.offset();
  model_.vertices.resize(count);
  Tally repaired, heavy;
  for (std::uint32_t i = 0; i < count && reader_.ok(); ++i) {
    reader_.Begin(i);
    PmxVertex& vertex = model_.vertices[i];
    vertex.position = reader_.F3();
    vertex.normal = reader_.F3();
    vertex.uv = reader_.F2();
    vertex.type = PmxWeightType::kBdef2;
    for (std::size_t k = 0; k < 2; ++k) {
      const std::uint16_t bone = reader_.U16();
      vertex.bones[k] = bone == kNoBone ? kNoIndex : bone;
    }
    const std::uint8_t percent = reader_.U8();
    vertex.weights[0] = static_cast<float>(percent) / static_cast<float>(kWhole);
    vertex.weights[1] = 1 - vertex.weights[0];
    vertex.edge_scale = reader_.U8() == 0 ? 1.0f : 0.0f;
    if (!reader_.ok()) break;
    if (percent > kWhole) {
      heavy.Add([&] { return reader_.Element() + " has a weight of " + std::to_string(percent); });
    }
    if (!IsFinite(vertex.position)) {
      reader_.Fail(ErrorCode::kInvalidValue,
                   "the position of " + reader_.Element() + " is not finite");
    }
    if (!IsFinite(vertex.normal, vertex.uv)) {
      repaired.Add([&] {
        return "the normal or texture coordinate of " + reader_.Element() +
               " is not finite; it is 0 now";
      });
      if (!IsFinite(vertex.normal)) vertex.normal = {};
      if (!IsFinite(vertex.uv)) vertex.uv = {};
    }
  }
  repaired.ReportTo(diagnostics_, "MMD_VERTEX_VALUE_REPAIRED", "vertices");
  heavy.ReportTo(diagnostics_, "PMD_WEIGHT_OUT_OF_RANGE", "vertices");
  return reader_.status();
}

Status PmdParser::CheckVertexBones() const {
  const auto bones = static_cast<std::int32_t>(raw_bones_.size());
  for (std::size_t i = 0; i < model_.vertices.size(); ++i) {
    for (const std::int32_t bone : model_.vertices[i].bones) {
      if (bone < bones) continue;
      return NoSuchBone(i, bone, raw_bones_.size(), vertices_at_ + i * kVertexBytes);
    }
  }
  return {};
}

Status PmdParser::Faces() {
  reader_.Enter({"faces", "face index"});
  const std::uint64_t at = reader_.offset();
  const std::uint32_t count = reader_.Count<std::uint32_t>(2, sizeof(std::uint32_t), budget_);
  return ReadFaces(reader_, count, at, 2, model_.vertices.size(), model_.indices);
}

Status PmdParser::Materials() {
  reader_.Enter({"materials", "material"});
  const std::uint32_t count = reader_.Count<std::uint32_t>(
      kMaterialBytes, sizeof(PmxMaterial) + sizeof(RawMaterial) + 3 * kNameBytes, budget_);
  model_.materials.resize(count);
  raw_materials_.resize(count);
  std::uint64_t used = 0;
  Tally repaired;
  for (std::uint32_t i = 0; i < count; ++i) {
    reader_.Begin(i);
    PmxMaterial& m = model_.materials[i];
    m.name = "材質" + std::to_string(i + 1);
    m.name_en = "Material" + std::to_string(i + 1);
    m.diffuse = reader_.F4();
    m.shininess = reader_.F32();
    m.specular = reader_.F3();
    m.ambient = reader_.F3();
    raw_materials_[i].toon = reader_.I8();
    const bool edge = reader_.U8() != 0;
    m.index_count = reader_.U32();
    raw_materials_[i].file = Name(kNameBytes);
    FLEXOR_TRY(reader_.status());
    m.edge_color = {0, 0, 0, 1};
    m.edge_size = 1;
    if (!IsFinite(m.diffuse, m.shininess, m.specular, m.ambient)) {
      repaired.Add(
          [&] { return "a number of " + reader_.Element() + " is not finite; it is 0 now"; });
      if (!IsFinite(m.diffuse)) m.diffuse = {};
      if (!IsFinite(m.shininess)) m.shininess = 0;
      if (!IsFinite(m.specular)) m.specular = {};
      if (!IsFinite(m.ambient)) m.ambient = {};
    }
    int flags = 0;
    if (edge) flags |= kMaterialEdge | kMaterialGroundShadow;
    if (m.diffuse.w != kNoShadowAlpha) flags |= kMaterialCastsShadow | kMaterialReceivesShadow;
    if (m.diffuse.w < 1) flags |= kMaterialDoubleSided;
    m.flags = static_cast<std::uint8_t>(flags);
    used += m.index_count;
    if (m.index_count % 3 != 0 || used > model_.indices.size()) {
      return ByteReader::At(ErrorCode::kShapeMismatch,
                            reader_.Element() + " takes " + std::to_string(m.index_count) +
                                " face indices and all up to it " + std::to_string(used) +
                                ", but there are " + std::to_string(model_.indices.size()) +
                                " and each must take a multiple of 3",
                            reader_.Element(), reader_.element_offset());
    }
  }
  FLEXOR_TRY(reader_.status());
  repaired.ReportTo(diagnostics_, "MMD_MATERIAL_VALUE_REPAIRED", "materials");
  if (used < model_.indices.size()) {
    Report(diagnostics_, "MMD_MATERIALS_LEAVE_FACES", "materials",
           "the materials take " + std::to_string(used) + " face indices, but there are " +
               std::to_string(model_.indices.size()));
  }
  return {};
}

std::int32_t PmdParser::TextureIndex(const std::string& name) {
  if (name.empty()) return kNoIndex;
  const auto next = static_cast<std::int32_t>(model_.textures.size());
  const auto [at, is_new] = texture_numbers_.emplace(name, next);
  if (is_new) model_.textures.push_back(name);
  return at->second;
}

void PmdParser::SettleMaterials() {
  Tally missing;
  for (std::size_t i = 0; i < raw_materials_.size(); ++i) {
    PmxMaterial& m = model_.materials[i];
    std::string_view files = raw_materials_[i].file;
    while (!files.empty()) {
      const std::size_t star = std::min(files.find('*'), files.size());
      const std::string file(files.substr(0, star));
      files.remove_prefix(std::min(files.size(), star + 1));
      const std::string lower = Lower(file);
      const bool multiplies = lower.ends_with(".sph");
      if (multiplies || lower.ends_with(".spa")) {
        m.sphere = TextureIndex(file);
        m.sphere_mode = multiplies ? kSphereMultiply : kSphereAdd;
      } else if (m.texture == kNoIndex) {
        m.texture = TextureIndex(file);
      } else {
        unknown_.Add([&] {
          return "material " + std::to_string(i) + " has a second texture " + Quoted(file);
        });
      }
    }
    const std::int32_t toon = raw_materials_[i].toon;
    if (toon >= kToons) {
      missing.Add([&] {
        return "the toon texture of material " + std::to_string(i) + " is " + std::to_string(toon) +
               ", but there are 10";
      });
    } else if (toon >= 0) {
      const std::string name = toons_.empty() ? "" : toons_[static_cast<std::size_t>(toon)];
      const std::int32_t shared = name.empty() ? toon : SharedToon(name);
      m.shared_toon = shared >= 0;
      m.toon = m.shared_toon ? shared : TextureIndex(name);
    }
  }
  missing.ReportTo(diagnostics_, "MMD_MATERIAL_TEXTURE_OOB", "materials");
}

Status PmdParser::Frames() {
  reader_.Enter({"display lists", "display entry"});
  PmxDisplayFrame root{"Root", "Root", true, {}}, faces{"表情", "Exp", true, {}};
  if (!model_.bones.empty()) root.entries.push_back({false, 0});
  const std::uint8_t morphs = reader_.U8();
  for (int i = 0; i < morphs; ++i) {
    reader_.Begin(static_cast<std::uint64_t>(i));
    const std::uint16_t morph = reader_.U16();
    FLEXOR_TRY(reader_.status());
    const std::int32_t now = morph < morph_now_.size() ? morph_now_[morph] : kNoIndex;
    if (now != kNoIndex) {
      faces.entries.push_back({true, now});
    } else {
      frame_entries_dropped_.Add([&] {
        return "the morph list names morph " + std::to_string(morph) + ", but there are " +
               std::to_string(morph_now_.size()) + ", and the base is none";
      });
    }
  }
  model_.frames = {std::move(root), std::move(faces)};
  first_group_ = model_.frames.size();
  group_count_ = reader_.U8();
  for (int i = 0; i < group_count_; ++i) {
    std::string name = Name(kGroupNameBytes);
    FLEXOR_TRY(reader_.status());
    while (!name.empty() && (name.back() == '\n' || name.back() == '\r')) name.pop_back();
    model_.frames.push_back({std::move(name), {}, false, {}});
  }
  const std::uint32_t entries = reader_.Count<std::uint32_t>(3, sizeof(PmxFrameEntry), budget_);
  for (std::uint32_t i = 0; i < entries; ++i) {
    reader_.Begin(i);
    const std::uint16_t bone = reader_.U16();
    const std::uint8_t group = reader_.U8();
    FLEXOR_TRY(reader_.status());
    if (bone >= raw_bones_.size() || group > group_count_) {
      frame_entries_dropped_.Add([&] {
        return "bone " + std::to_string(bone) + " in group " + std::to_string(group) +
               ", but there are " + std::to_string(raw_bones_.size()) + " bones and " +
               std::to_string(group_count_) + " groups";
      });
      continue;
    }
    if (group == 0 && bone == 0) continue;  // it is there already
    const std::size_t frame = group == 0 ? 0 : first_group_ + group - 1u;
    model_.frames[frame].entries.push_back({false, bone});
  }
  return reader_.status();
}

Status PmdParser::EnglishNames() {
  reader_.Enter({"English names", "English name"});
  if (reader_.U8() == 0) return reader_.status();
  model_.name_en = Name(kNameBytes);
  model_.comment_en = Name(kCommentBytes);
  for (std::size_t i = 0; i < raw_bones_.size() && reader_.ok(); ++i) {
    model_.bones[i].name_en = Name(kNameBytes);
  }
  // The base morph, which comes first, has none.
  for (std::size_t i = 1; i < file_morphs_ && reader_.ok(); ++i) {
    std::string name = Name(kNameBytes);
    const std::int32_t now = morph_now_[i];
    if (now != kNoIndex) model_.morphs[static_cast<std::size_t>(now)].name_en = std::move(name);
  }
  for (std::size_t i = 0; i < group_count_ && reader_.ok(); ++i) {
    model_.frames[first_group_ + i].name_en = Name(kGroupNameBytes);
  }
  return reader_.status();
}

Status PmdParser::Toons() {
  reader_.Enter({"toon textures", "toon texture"});
  for (int i = 0; i < kToons; ++i) {
    reader_.Begin(static_cast<std::uint64_t>(i));
    toons_.push_back(Name(kToonBytes));
  }
  return reader_.status();
}

Result<PmxModel> PmdParser::Parse() {
  FLEXOR_TRY(Header());
  FLEXOR_TRY(Vertices());
  FLEXOR_TRY(Faces());
  FLEXOR_TRY(Materials());
  FLEXOR_TRY(Bones());
  FLEXOR_TRY(CheckVertexBones());
  FLEXOR_TRY(Iks());
  FLEXOR_TRY(Morphs());
  FLEXOR_TRY(Frames());
  // Each of the rest came with a later version of the format; files end before any of them.
  const auto more = [&] { return reader_.remaining() != 0; };
  if (more()) FLEXOR_TRY(EnglishNames());
  if (more()) FLEXOR_TRY(Toons());
  if (more()) FLEXOR_TRY(Bodies());
  if (more()) FLEXOR_TRY(Joints());
  if (more()) {
    Report(diagnostics_, "MMD_TRAILING_BYTES", "end of file",
           std::to_string(reader_.remaining()) + " bytes after the last section, from byte " +
               std::to_string(reader_.offset()));
  }
  SettleMaterials();
  SettleIks();  // may add bones, which take the English names over
  SettleLayers();
  text_.ReportTo(diagnostics_, "MMD_TEXT_REPAIRED", "texts");
  unknown_.ReportTo(diagnostics_, "MMD_UNKNOWN_VALUE", "values");
  frame_entries_dropped_.ReportTo(diagnostics_, "MMD_FRAME_ENTRY_DROPPED", "display frames");
  return std::move(model_);
}

Result<PmxModel> ParsePmd(std::span<const std::byte> bytes, MemoryBudget& budget,
                          Diagnostics& diagnostics) {
  return PmdParser(bytes, budget, diagnostics).Parse();
}

}  // namespace flexor::io::mmd
