#include <algorithm>
#include <array>
#include <set>

#include "io/gltf/check_links.h"
#include "io/gltf/check_names.h"
#include "io/json/access.h"

namespace flexor::io::gltf::links {
namespace {

using json::JoinPointer;

constexpr std::int64_t kByte = 5120, kUnsignedByte = 5121, kShort = 5122, kUnsignedShort = 5123,
                       kUnsignedInt = 5125, kFloat = 5126;

/// One row of the specification's table of attribute types.
struct AllowedFormat {
  std::string_view kind;
  std::size_t components;
  std::int64_t component_type;
  bool normalized;
  bool for_base = true;
  bool for_targets = true;
  bool needs_quantization = false;
};

// glTF 2.0, 3.7.2.1 and 3.7.2.2; KHR_mesh_quantization adds the rows that need it.
constexpr AllowedFormat kAllowed[] = {
    {"POSITION", 3, kFloat, false},
    {"POSITION", 3, kByte, false, true, true, true},
    {"POSITION", 3, kByte, true, true, true, true},
    {"POSITION", 3, kUnsignedByte, false, true, false, true},
    {"POSITION", 3, kUnsignedByte, true, true, false, true},
    {"POSITION", 3, kShort, false, true, true, true},
    {"POSITION", 3, kShort, true, true, true, true},
    {"POSITION", 3, kUnsignedShort, false, true, false, true},
    {"POSITION", 3, kUnsignedShort, true, true, false, true},
    {"NORMAL", 3, kFloat, false},
    {"NORMAL", 3, kByte, true, true, true, true},
    {"NORMAL", 3, kShort, true, true, true, true},
    {"TANGENT", 4, kFloat, false, true, false},
    {"TANGENT", 4, kByte, true, true, false, true},
    {"TANGENT", 4, kShort, true, true, false, true},
    {"TANGENT", 3, kFloat, false, false, true},
    {"TANGENT", 3, kByte, true, false, true, true},
    {"TANGENT", 3, kShort, true, false, true, true},
    {"TEXCOORD", 2, kFloat, false},
    {"TEXCOORD", 2, kUnsignedByte, true},
    {"TEXCOORD", 2, kUnsignedShort, true},
    {"TEXCOORD", 2, kByte, true, false, true},
    {"TEXCOORD", 2, kShort, true, false, true},
    {"TEXCOORD", 2, kByte, false, true, true, true},
    {"TEXCOORD", 2, kByte, true, true, false, true},
    {"TEXCOORD", 2, kUnsignedByte, false, true, false, true},
    {"TEXCOORD", 2, kShort, false, true, true, true},
    {"TEXCOORD", 2, kShort, true, true, false, true},
    {"TEXCOORD", 2, kUnsignedShort, false, true, false, true},
    {"COLOR", 3, kFloat, false},
    {"COLOR", 3, kUnsignedByte, true},
    {"COLOR", 3, kUnsignedShort, true},
    {"COLOR", 4, kFloat, false},
    {"COLOR", 4, kUnsignedByte, true},
    {"COLOR", 4, kUnsignedShort, true},
    {"COLOR", 3, kByte, true, false, true},
    {"COLOR", 3, kShort, true, false, true},
    {"COLOR", 4, kByte, true, false, true},
    {"COLOR", 4, kShort, true, false, true},
    {"JOINTS", 4, kUnsignedByte, false, true, false},
    {"JOINTS", 4, kUnsignedShort, false, true, false},
    {"WEIGHTS", 4, kFloat, false, true, false},
    {"WEIGHTS", 4, kUnsignedByte, true, true, false},
    {"WEIGHTS", 4, kUnsignedShort, true, true, false},
};

enum class FormatVerdict { kGood, kBad, kNoRule };

FormatVerdict JudgeFormat(std::string_view kind, const AccessorFormat& format, bool is_target,
                          bool quantization) {
  FormatVerdict verdict = FormatVerdict::kNoRule;
  for (const AllowedFormat& row : kAllowed) {
    if (row.kind != kind || !(is_target ? row.for_targets : row.for_base)) continue;
    verdict = FormatVerdict::kBad;
    if (row.needs_quantization && !quantization) continue;
    if (!format.is_matrix && row.components == format.components &&
        row.component_type == format.component_type && row.normalized == format.normalized) {
      return FormatVerdict::kGood;
    }
  }
  return verdict;
}

/// What a base attribute and one of a morph target are both held to.
void CommonRules(Context& context, const CheckedAttribute& attribute, CheckedAccessor& accessor,
                 const std::string& where) {
  Findings& findings = context.findings();
  CheckedView* view = context.ViewOf(accessor);
  context.UseAccessor(accessor, AccessorUsage::kAttribute, where);
  if (view != nullptr) context.UseView(*view, ViewUsage::kVertices, where);
  if (attribute.name == "POSITION" && !accessor.HasBounds()) {
    findings.Add("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", where,
                 "the accessor of positions must have min and max");
  }
}

void LayoutRules(Context& context, const CheckedAttribute& attribute, CheckedAccessor& accessor,
                 const std::string& where) {
  Findings& findings = context.findings();
  CheckedView* view = context.ViewOf(accessor);
  const bool offset_off = accessor.byte_offset != kAbsent && accessor.byte_offset % 4 != 0;
  const bool stride_off = view != nullptr && view->byte_stride == kAbsent &&
                          accessor.ComponentBytes() > 0 && accessor.ElementBytes() % 4 != 0;
  if (offset_off || stride_off) {
    findings.Add("MESH_PRIMITIVE_ACCESSOR_UNALIGNED", where,
                 offset_off ? "vertices start at byte " + std::to_string(accessor.byte_offset) +
                                  ", which is not a multiple of 4"
                            : "vertices follow each other every " +
                                  std::to_string(accessor.ElementBytes()) +
                                  " bytes, which is not a multiple of 4");
  }
  if (view == nullptr || view->byte_stride != kAbsent) return;
  auto& seen = view->vertex_accessors;
  if (std::find(seen.begin(), seen.end(), attribute.accessor) != seen.end()) return;
  seen.push_back(attribute.accessor);
  if (seen.size() > 1) {
    // Two are enough to know that a further one is new.
    if (seen.size() > 2) seen.resize(2);
    findings.Add("MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE", where,
                 "its buffer view holds several vertex accessors but has no byteStride");
  }
}

void AddDataRule(Context& context, const CheckedAttribute& attribute,
                 const CheckedAccessor& accessor, const std::string& where) {
  std::vector<DataRule>& rules = context.model().data_rules;
  if (attribute.name == "NORMAL") {
    rules.push_back({attribute.accessor, DataRuleKind::kUnitVector, where});
  } else if (attribute.name == "TANGENT") {
    rules.push_back({attribute.accessor, DataRuleKind::kTangent, where});
  } else if (attribute.name == "COLOR_0" && accessor.format.component_type == kFloat) {
    rules.push_back({attribute.accessor, DataRuleKind::kColor, where});
  }
}

void BaseAttributes(Context& context, CheckedPrimitive& primitive) {
  CheckModel& model = context.model();
  Findings& findings = context.findings();
  for (const CheckedAttribute& attribute : primitive.attributes) {
    const std::string where = JoinPointer(primitive.pointer + "/attributes", attribute.name);
    if (attribute.accessor == kAbsent) continue;
    CheckedAccessor* accessor = CheckModel::Resolve(model.accessors, attribute.accessor);
    if (accessor == nullptr) {
      context.Unresolved(where, attribute.accessor, model.accessors.size());
      continue;
    }
    CommonRules(context, attribute, *accessor, where);
    switch (JudgeFormat(AttributeKind(attribute.name), accessor->format, false,
                        model.uses_quantization)) {
      case FormatVerdict::kBad:
        findings.Add("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", where,
                     accessor->format.ToString() + " is not allowed for " + attribute.name);
        break;
      case FormatVerdict::kGood:
        AddDataRule(context, attribute, *accessor, where);
        break;
      case FormatVerdict::kNoRule:
        if (accessor->format.component_type == kUnsignedInt) {
          findings.Add("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT", where,
                       "attributes cannot be 32-bit integers");
        }
        break;
    }
    LayoutRules(context, attribute, *accessor, where);
    if (primitive.vertex_count == kAbsent) {
      primitive.vertex_count = primitive.drawn_count = accessor->count;
    } else if (accessor->count != kAbsent && primitive.vertex_count != accessor->count) {
      findings.Add("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", where,
                   "has " + std::to_string(accessor->count) +
                       " elements, but the first attribute has " +
                       std::to_string(primitive.vertex_count));
    }
  }
}

void Indices(Context& context, CheckedPrimitive& primitive) {
  if (primitive.indices == kAbsent) return;
  CheckModel& model = context.model();
  const std::string where = primitive.pointer + "/indices";
  CheckedAccessor* accessor = CheckModel::Resolve(model.accessors, primitive.indices);
  if (accessor == nullptr) {
    return context.Unresolved(where, primitive.indices, model.accessors.size());
  }
  primitive.drawn_count = accessor->count;
  context.UseAccessor(*accessor, AccessorUsage::kIndices, where);
  if (CheckedView* view = context.ViewOf(*accessor)) {
    context.UseView(*view, ViewUsage::kIndices, where);
    if (view->byte_stride != kAbsent) {
      context.findings().Add("MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE", where,
                             "the buffer view of vertex indices must not have byteStride");
    }
  }
  const AccessorFormat& format = accessor->format;
  const std::int64_t type = format.component_type;
  if (format.components != 1 || format.normalized ||
      (type != kUnsignedByte && type != kUnsignedShort && type != kUnsignedInt)) {
    context.findings().Add(
        "MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", where,
        format.ToString() + " is not allowed; indices are SCALAR of an unsigned type");
    return;
  }
  model.data_rules.push_back({.accessor = primitive.indices,
                              .kind = DataRuleKind::kIndices,
                              .where = where,
                              .vertex_count = std::max<std::int64_t>(primitive.vertex_count, 0),
                              .mode = primitive.mode});
}

bool FitsMode(std::int64_t count, std::int64_t mode) {
  switch (mode) {
    case 1:
      return count % 2 == 0;
    case 2:
    case 3:
      return count >= 2;
    case 4:
      return count % 3 == 0;
    case 5:
    case 6:
      return count >= 3;
    default:
      return true;
  }
}

/// The texture coordinates that a material wants of the primitive.
void Texcoords(Context& context, CheckedPrimitive& primitive, const CheckedMaterial& material,
               const std::string& where) {
  const auto want = [&](const CheckedTextureInfo& info, std::int64_t set) {
    if (set == kAbsent) return;
    if (set >= primitive.texcoord_sets) {
      context.findings().Add("MESH_PRIMITIVE_TOO_FEW_TEXCOORDS", where,
                             "the texture at " + info.pointer + " needs TEXCOORD_" +
                                 std::to_string(set) + ", but there are " +
                                 std::to_string(primitive.texcoord_sets));
    } else {
      primitive.texcoord_used[static_cast<std::size_t>(set)] = true;
    }
  };
  for (const CheckedTextureInfo& info : material.textures) {
    want(info, info.texcoord);
    want(info, info.transform_texcoord);
  }
}

void MaterialRules(Context& context, CheckedPrimitive& primitive) {
  Findings& findings = context.findings();
  const std::string where = primitive.pointer + "/material";
  CheckedMaterial* material = context.Follow(context.model().materials, primitive.material, where);
  if (material != nullptr) {
    if (material->needs_tangents && !(primitive.has_normal && primitive.has_tangent)) {
      findings.Add(material->has_normal_texture ? "MESH_PRIMITIVE_GENERATED_TANGENT_SPACE"
                                                : "MESH_PRIMITIVE_NO_TANGENT_SPACE",
                   where,
                   "the material needs normals and tangents, but the primitive has not both");
    }
    Texcoords(context, primitive, *material, where);
  }
  if (primitive.has_tangent && (material == nullptr || !material->needs_tangents)) {
    findings.Add("UNUSED_MESH_TANGENT", primitive.pointer + "/attributes/TANGENT",
                 "the material has no normal texture");
  }
  for (std::size_t set = 0; set < primitive.texcoord_used.size(); ++set) {
    if (primitive.texcoord_used[set]) continue;
    findings.Add("UNUSED_OBJECT", primitive.pointer + "/attributes/TEXCOORD_" + std::to_string(set),
                 "the material uses no texture coordinates of this set");
  }
}

void Targets(Context& context, CheckedPrimitive& primitive) {
  if (!primitive.targets) return;
  CheckModel& model = context.model();
  Findings& findings = context.findings();
  for (std::size_t i = 0; i < primitive.targets->size(); ++i) {
    const std::string base = JoinPointer(primitive.pointer + "/targets", i);
    for (const CheckedAttribute& attribute : (*primitive.targets)[i]) {
      if (attribute.accessor == kAbsent) continue;
      const std::string where = JoinPointer(base, attribute.name);
      CheckedAccessor* accessor = CheckModel::Resolve(model.accessors, attribute.accessor);
      if (accessor == nullptr) {
        context.Unresolved(where, attribute.accessor, model.accessors.size());
        continue;
      }
      CommonRules(context, attribute, *accessor, where);
      const CheckedAccessor* original =
          CheckModel::Resolve(model.accessors, primitive.Find(attribute.name));
      if (original == nullptr) {
        findings.Add("MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR", where,
                     "the primitive has no " + attribute.name + " to change");
      } else if (original->count != accessor->count) {
        findings.Add("MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT", where,
                     "has " + std::to_string(accessor->count) + " elements, but the mesh has " +
                         std::to_string(original->count) + " vertices");
      }
      if (JudgeFormat(AttributeKind(attribute.name), accessor->format, true,
                      model.uses_quantization) == FormatVerdict::kBad) {
        findings.Add("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", where,
                     accessor->format.ToString() + " is not allowed for " + attribute.name +
                         " of a morph target");
      }
      LayoutRules(context, attribute, *accessor, where);
    }
  }
}

/// The materials that KHR_materials_variants may put on a primitive.
void Mappings(Context& context, CheckedPrimitive& primitive) {
  CheckModel& model = context.model();
  std::set<std::int64_t> seen;
  for (const CheckedMapping& mapping : primitive.mappings) {
    if (!model.variants) {
      context.findings().Add("UNSATISFIED_DEPENDENCY", mapping.pointer,
                             "the document lists no variants in its own extensions");
      continue;
    }
    const auto& variants = mapping.variants;
    for (std::size_t i = 0; variants && i < variants->size(); ++i) {
      const std::int64_t variant = (*variants)[i];
      if (variant == kAbsent) continue;
      const std::string where = JoinPointer(mapping.pointer + "/variants", i);
      if (!seen.insert(variant).second) {
        context.findings().Add(
            "KHR_MATERIALS_VARIANTS_NON_UNIQUE_VARIANT", where,
            "variant " + std::to_string(variant) + " has a material on this primitive already");
      }
      context.Follow(*model.variants, variant, where);
    }
    const std::string where = mapping.pointer + "/material";
    const CheckedMaterial* material = context.Follow(model.materials, mapping.material, where);
    if (material != nullptr) Texcoords(context, primitive, *material, where);
  }
}

}  // namespace

void Meshes(Context& context) {
  static constexpr const char* kModes[] = {"points",        "lines",     "a line loop",
                                           "a line strip",  "triangles", "a triangle strip",
                                           "a triangle fan"};
  for (CheckedMesh& mesh : context.model().meshes) {
    if (!mesh.exists || !mesh.primitives) continue;
    for (CheckedPrimitive& primitive : *mesh.primitives) {
      Mappings(context, primitive);
      BaseAttributes(context, primitive);
      Indices(context, primitive);
      if (primitive.drawn_count != kAbsent && !FitsMode(primitive.drawn_count, primitive.mode)) {
        context.findings().Add("MESH_PRIMITIVE_INCOMPATIBLE_MODE", primitive.pointer,
                               std::to_string(primitive.drawn_count) +
                                   " vertices or indices do not make up " + kModes[primitive.mode]);
      }
      MaterialRules(context, primitive);
      Targets(context, primitive);
    }
  }
}

}  // namespace flexor::io::gltf::links
