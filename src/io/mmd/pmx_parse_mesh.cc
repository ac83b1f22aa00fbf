#include <utility>

#include "io/mmd/faces.h"
#include "io/mmd/pmx_parser.h"

namespace flexor::io::mmd {
namespace {

/// Bones that each weight type has.
constexpr std::size_t kBonesOf[] = {1, 2, 4, 2, 4};

/// Bytes of the weight block, with indices of that width.
std::uint64_t WeightBytes(PmxWeightType type, std::uint64_t width) {
  switch (type) {
    case PmxWeightType::kBdef1:
      return width;
    case PmxWeightType::kBdef2:
      return 2 * width + 4;
    case PmxWeightType::kBdef4:
    case PmxWeightType::kQdef:
      return 4 * width + 16;
    case PmxWeightType::kSdef:
      return 2 * width + 4 + 36;
  }
  return 0;
}

/// Position, normal, texture coordinate, type and edge scale.
constexpr std::uint64_t kPlainVertexBytes = 12 + 12 + 8 + 1 + 4;
constexpr std::uint64_t kAdditionalUvBytes = 16;
/// Two names, colours, five indices of a byte, a memo and a count.
constexpr std::uint64_t kLeastMaterialBytes = 8 + 16 + 12 + 4 + 12 + 1 + 16 + 4 + 5 + 4 + 4;
constexpr std::int32_t kSharedToons = 10;

/// Sets what is not finite to zero; whether there was any.
template <class V>
bool Cleared(V& value) {
  if (IsFinite(value)) return false;
  value = V{};
  return true;
}

}  // namespace

void PmxParser::Vertex(PmxVertex& vertex) {
  vertex.position = reader_.F3();
  vertex.normal = reader_.F3();
  vertex.uv = reader_.F2();
  for (int i = 0; i < model_.additional_uv_count; ++i) {
    model_.additional_uvs.push_back(reader_.F4());
  }
  const std::uint64_t type_at = reader_.offset();
  const std::uint8_t type = reader_.U8();
  if (type > static_cast<std::uint8_t>(PmxWeightType::kQdef)) {
    reader_.Fail(ErrorCode::kInvalidValue,
                 "the weight type of " + reader_.Element() + " is " + std::to_string(type) +
                     ", but only 0 to 4 exist",
                 type_at);
    return;
  }
  vertex.type = static_cast<PmxWeightType>(type);
  const std::size_t bones = kBonesOf[type];
  for (std::size_t i = 0; i < bones; ++i) vertex.bones[i] = Index(model_.widths.bone);
  if (bones == 1) {
    vertex.weights[0] = 1;
  } else if (bones == 2) {
    vertex.weights[0] = reader_.F32();
    vertex.weights[1] = 1 - vertex.weights[0];
  } else {
    for (float& weight : vertex.weights) weight = reader_.F32();
  }
  if (vertex.type == PmxWeightType::kSdef) {
    vertex.c = reader_.F3();
    vertex.r0 = reader_.F3();
    vertex.r1 = reader_.F3();
  }
  vertex.edge_scale = reader_.F32();
  const auto& w = vertex.weights;
  if (!IsFinite(vertex.position, Vec4f{w[0], w[1], w[2], w[3]}, vertex.c, vertex.r0, vertex.r1)) {
    reader_.Fail(ErrorCode::kInvalidValue, "the position, weights or SDEF points of " +
                                               reader_.Element() + " are not finite");
  }
}

Status PmxParser::Vertices() {
  reader_.Enter({"vertices", "vertex"});
  const std::uint64_t uvs = model_.additional_uv_count;
  const std::uint32_t count =
      reader_.Count<std::int32_t>(kPlainVertexBytes + uvs * kAdditionalUvBytes + model_.widths.bone,
                                  sizeof(PmxVertex) + uvs * sizeof(Vec4f), budget_);
  vertices_at_ = reader_.offset();
  model_.vertices.resize(count);
  model_.additional_uvs.reserve(count * uvs);
  Tally repaired;
  for (std::uint32_t i = 0; i < count && reader_.ok(); ++i) {
    reader_.Begin(i);
    PmxVertex& vertex = model_.vertices[i];
    Vertex(vertex);
    Needs21(vertex.type == PmxWeightType::kQdef,
            [&] { return reader_.Element() + " has QDEF weights"; });
    bool cleared = Cleared(vertex.normal);
    cleared |= Cleared(vertex.uv);
    cleared |= Cleared(vertex.edge_scale);
    for (std::size_t k = model_.additional_uvs.size() - uvs; k < model_.additional_uvs.size();
         ++k) {
      cleared |= Cleared(model_.additional_uvs[k]);
    }
    if (cleared) {
      repaired.Add([&] {
        return "a normal, texture coordinate or edge scale of " + reader_.Element() +
               " is not finite; it is 0 now";
      });
    }
  }
  repaired.ReportTo(diagnostics_, "MMD_VERTEX_VALUE_REPAIRED", "vertices");
  return reader_.status();
}

std::uint64_t PmxParser::OffsetOfVertex(std::size_t index) const {
  std::uint64_t offset = vertices_at_;
  for (std::size_t i = 0; i < index; ++i) {
    offset += kPlainVertexBytes + model_.additional_uv_count * kAdditionalUvBytes +
              WeightBytes(model_.vertices[i].type, model_.widths.bone);
  }
  return offset;
}

Status PmxParser::CheckVertexBones() {
  const std::size_t bones = model_.bones.size();
  for (std::size_t i = 0; i < model_.vertices.size(); ++i) {
    for (const std::int32_t bone : model_.vertices[i].bones) {
      if (Names(bone, bones)) continue;
      return NoSuchBone(i, bone, bones, OffsetOfVertex(i));
    }
  }
  return {};
}

Status PmxParser::Faces() {
  reader_.Enter({"faces", "face index"});
  const std::uint64_t at = reader_.offset();
  const std::uint32_t count =
      reader_.Count<std::int32_t>(model_.widths.vertex, sizeof(std::uint32_t), budget_);
  return ReadFaces(reader_, count, at, model_.widths.vertex, model_.vertices.size(),
                   model_.indices);
}

Status PmxParser::Textures() {
  reader_.Enter({"textures", "texture"});
  const std::uint32_t count = reader_.Count<std::int32_t>(4, sizeof(std::string), budget_);
  model_.textures.reserve(count);
  for (std::uint32_t i = 0; i < count && reader_.ok(); ++i) {
    reader_.Begin(i);
    model_.textures.push_back(Text());
  }
  return reader_.status();
}

void PmxParser::Material(PmxMaterial& material) {
  material.name = Text();
  material.name_en = Text();
  material.diffuse = reader_.F4();
  material.specular = reader_.F3();
  material.shininess = reader_.F32();
  material.ambient = reader_.F3();
  material.flags = reader_.U8();
  material.edge_color = reader_.F4();
  material.edge_size = reader_.F32();
  material.texture = Index(model_.widths.texture);
  material.sphere = Index(model_.widths.texture);
  material.sphere_mode = reader_.U8();
  const std::uint8_t toon_kind = reader_.U8();
  if (toon_kind > 1) {
    reader_.Fail(ErrorCode::kInvalidValue,
                 "the kind of toon of " + Here(material.name) + " is " + std::to_string(toon_kind) +
                     ", but only 0 and 1 exist",
                 reader_.offset() - 1);
    return;
  }
  material.shared_toon = toon_kind == 1;
  material.toon = material.shared_toon ? reader_.I8() : Index(model_.widths.texture);
  material.memo = Text();
  const std::uint64_t at = reader_.offset();
  const std::int32_t indices = reader_.I32();
  if (reader_.ok() && (indices < 0 || indices % 3 != 0)) {
    reader_.Fail(ErrorCode::kShapeMismatch,
                 Here(material.name) + " has " + std::to_string(indices) +
                     " face indices, but their number must be a multiple of 3, and not negative",
                 at);
    return;
  }
  material.index_count = static_cast<std::uint32_t>(indices);
}

Status PmxParser::Materials() {
  reader_.Enter({"materials", "material"});
  const std::uint32_t count = reader_.Count<std::int32_t>(
      kLeastMaterialBytes + 2ull * model_.widths.texture - 2, sizeof(PmxMaterial), budget_);
  model_.materials.resize(count);
  const std::size_t textures = model_.textures.size();
  Tally missing, repaired;
  std::uint64_t used = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    reader_.Begin(i);
    PmxMaterial& m = model_.materials[i];
    Material(m);
    FLEXOR_TRY(reader_.status());
    used += m.index_count;
    if (used > model_.indices.size()) {
      return ByteReader::At(ErrorCode::kShapeMismatch,
                            "the materials up to " + Here(m.name) + " take " +
                                std::to_string(used) + " face indices, but there are " +
                                std::to_string(model_.indices.size()),
                            reader_.Element(), reader_.element_offset());
    }
    const auto settle = [&](std::int32_t& index, std::size_t size, std::string_view what) {
      if (Names(index, size)) return;
      missing.Add([&] {
        return "the " + std::string(what) + " of " + Here(m.name) + " is " + std::to_string(index) +
               ", but there are " + std::to_string(size);
      });
      index = kNoIndex;
    };
    settle(m.texture, textures, "texture");
    settle(m.sphere, textures, "sphere texture");
    settle(m.toon, m.shared_toon ? kSharedToons : textures, "toon texture");
    bool cleared = Cleared(m.diffuse);
    cleared |= Cleared(m.specular);
    cleared |= Cleared(m.shininess);
    cleared |= Cleared(m.ambient);
    cleared |= Cleared(m.edge_color);
    cleared |= Cleared(m.edge_size);
    if (cleared) {
      repaired.Add([&] { return "a number of " + Here(m.name) + " is not finite; it is 0 now"; });
    }
    constexpr std::uint8_t kOf21 = kMaterialVertexColor | kMaterialPoints | kMaterialLines;
    Needs21((m.flags & kOf21) != 0,
            [&] { return Here(m.name) + " has the flags " + std::to_string(m.flags & kOf21); });
    Unknown(m.sphere_mode > kSphereSubTexture, [&] {
      return "the sphere mode of " + Here(m.name) + " is " + std::to_string(m.sphere_mode) +
             ", but only 0 to 3 exist";
    });
  }
  missing.ReportTo(diagnostics_, "MMD_MATERIAL_TEXTURE_OOB", "materials");
  repaired.ReportTo(diagnostics_, "MMD_MATERIAL_VALUE_REPAIRED", "materials");
  FLEXOR_TRY(reader_.status());
  if (used < model_.indices.size()) {
    Report(diagnostics_, "MMD_MATERIALS_LEAVE_FACES", "materials",
           "the materials take " + std::to_string(used) + " face indices, but there are " +
               std::to_string(model_.indices.size()));
  }
  return {};
}

}  // namespace flexor::io::mmd
