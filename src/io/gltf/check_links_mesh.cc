#include <algorithm>
#include <array>
#include <set>

#include "io/gltf/attribute_names.h"
#include "io/gltf/check_links.h"
#include "io/gltf/layout.h"
#include "io/json/access.h"

namespace flexor::io::gltf::links {
namespace {

using json::JoinPointer;

/// One row of the specification's table of attribute types.
struct AllowedFormat {
  std::string_view kind;
  AccessorFormat format;
  bool for_base = true;
  bool for_targets = true;
  bool needs_quantization = false;
};

constexpr auto kScalar = ElementType::kScalar, kVec2 = ElementType::kVec2,
               kVec3 = ElementType::kVec3, kVec4 = ElementType::kVec4;
constexpr auto kInt8 = ComponentType::kInt8, kUint8 = ComponentType::kUint8,
               kInt16 = ComponentType::kInt16, kUint16 = ComponentType::kUint16,
               kUint32 = ComponentType::kUint32, kFloat = ComponentType::kFloat;

// glTF 2.0, 3.7.2.1 and 3.7.2.2; KHR_mesh_quantization adds the rows that need it.
constexpr AllowedFormat kAllowed[] = {
    {"POSITION", {kVec3, kFloat, false}},
    {"POSITION", {kVec3, kInt8, false}, true, true, true},
    {"POSITION", {kVec3, kInt8, true}, true, true, true},
    {"POSITION", {kVec3, kUint8, false}, true, false, true},
    {"POSITION", {kVec3, kUint8, true}, true, false, true},
    {"POSITION", {kVec3, kInt16, false}, true, true, true},
    {"POSITION", {kVec3, kInt16, true}, true, true, true},
    {"POSITION", {kVec3, kUint16, false}, true, false, true},
    {"POSITION", {kVec3, kUint16, true}, true, false, true},
    {"NORMAL", {kVec3, kFloat, false}},
    {"NORMAL", {kVec3, kInt8, true}, true, true, true},
    {"NORMAL", {kVec3, kInt16, true}, true, true, true},
    {"TANGENT", {kVec4, kFloat, false}, true, false},
    {"TANGENT", {kVec4, kInt8, true}, true, false, true},
    {"TANGENT", {kVec4, kInt16, true}, true, false, true},
    {"TANGENT", {kVec3, kFloat, false}, false, true},
    {"TANGENT", {kVec3, kInt8, true}, false, true, true},
    {"TANGENT", {kVec3, kInt16, true}, false, true, true},
    {"TEXCOORD", {kVec2, kFloat, false}},
    {"TEXCOORD", {kVec2, kUint8, true}},
    {"TEXCOORD", {kVec2, kUint16, true}},
    {"TEXCOORD", {kVec2, kInt8, true}, false, true},
    {"TEXCOORD", {kVec2, kInt16, true}, false, true},
    {"TEXCOORD", {kVec2, kInt8, false}, true, true, true},
    {"TEXCOORD", {kVec2, kInt8, true}, true, false, true},
    {"TEXCOORD", {kVec2, kUint8, false}, true, false, true},
    {"TEXCOORD", {kVec2, kInt16, false}, true, true, true},
    {"TEXCOORD", {kVec2, kInt16, true}, true, false, true},
    {"TEXCOORD", {kVec2, kUint16, false}, true, false, true},
    {"COLOR", {kVec3, kFloat, false}},
    {"COLOR", {kVec3, kUint8, true}},
    {"COLOR", {kVec3, kUint16, true}},
    {"COLOR", {kVec4, kFloat, false}},
    {"COLOR", {kVec4, kUint8, true}},
    {"COLOR", {kVec4, kUint16, true}},
    {"COLOR", {kVec3, kInt8, true}, false, true},
    {"COLOR", {kVec3, kInt16, true}, false, true},
    {"COLOR", {kVec4, kInt8, true}, false, true},
    {"COLOR", {kVec4, kInt16, true}, false, true},
    {"JOINTS", {kVec4, kUint8, false}, true, false},
    {"JOINTS", {kVec4, kUint16, false}, true, false},
    {"WEIGHTS", {kVec4, kFloat, false}, true, false},
    {"WEIGHTS", {kVec4, kUint8, true}, true, false},
    {"WEIGHTS", {kVec4, kUint16, true}, true, false},
};

enum class FormatVerdict { kGood, kBad, kNoRule };

FormatVerdict JudgeFormat(std::string_view kind, const AccessorFormat& format, bool is_target,
                          bool quantization) {
  FormatVerdict verdict = FormatVerdict::kNoRule;
  for (const AllowedFormat& row : kAllowed) {
    if (row.kind != kind || !(is_target ? row.for_targets : row.for_base)) continue;
    verdict = FormatVerdict::kBad;
    if (row.needs_quantization && !quantization) continue;
    if (row.format == format) return FormatVerdict::kGood;
  }
  return verdict;
}

/// What a base attribute and one of a morph target are both held to.
void CommonRules(Context& context, const RawAttribute& attribute, CheckedAccessor& accessor,
                 const std::string& where) {
  Findings& findings = context.findings();
  CheckedView* view = context.ViewOf(accessor);
  context.UseAccessor(accessor, AccessorUsage::kAttribute, where);
  if (view != nullptr) context.UseView(*view, ViewUsage::kVertices, where);
  if (attribute.name == "POSITION" && !accessor.raw->has_bounds) {
    findings.Add("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", where,
                 "the accessor of positions must have min and max");
  }
}

void LayoutRules(Context& context, const RawAttribute& attribute, CheckedAccessor& accessor,
                 const std::string& where) {
  Findings& findings = context.findings();
  CheckedView* view = context.ViewOf(accessor);
  const RawAccessor& raw = *accessor.raw;
  const std::uint32_t element = ElementExtent(raw.component, raw.type);
  const bool packed = view != nullptr && view->raw->byte_stride == 0;
  const bool offset_off = raw.byte_offset != kNoNumber && raw.byte_offset % 4 != 0;
  const bool stride_off = packed && element % 4 != 0;
  if (offset_off || stride_off) {
    findings.Add("MESH_PRIMITIVE_ACCESSOR_UNALIGNED", where,
                 offset_off ? "vertices start at byte " + std::to_string(raw.byte_offset) +
                                  ", which is not a multiple of 4"
                            : "vertices follow each other every " + std::to_string(element) +
                                  " bytes, which is not a multiple of 4");
  }
  if (!packed) return;
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

void AddDataRule(Context& context, const RawAttribute& attribute, const CheckedAccessor& accessor,
                 const std::string& where) {
  std::vector<DataRule>& rules = context.model().data_rules;
  if (attribute.name == "NORMAL") {
    rules.push_back({attribute.accessor, DataRuleKind::kUnitVector, where});
  } else if (attribute.name == "TANGENT") {
    rules.push_back({attribute.accessor, DataRuleKind::kTangent, where});
  } else if (attribute.name == "COLOR_0" && accessor.raw->component == kFloat) {
    rules.push_back({attribute.accessor, DataRuleKind::kColor, where});
  }
}

void BaseAttribute(Context& context, CheckedPrimitive& primitive, const RawAttribute& attribute) {
  CheckModel& model = context.model();
  Findings& findings = context.findings();
  const std::string where = JoinPointer(primitive.pointer + "/attributes", attribute.name);
  CheckedAccessor* accessor = context.Find(model.accessors, attribute.accessor, where);
  if (accessor == nullptr) return;
  CommonRules(context, attribute, *accessor, where);
  switch (JudgeFormat(AttributeKind(attribute.name), accessor->format(), false,
                      model.uses_quantization)) {
    case FormatVerdict::kBad:
      findings.Add(
          "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", where,
          accessor->format().ToString() + " is not allowed for " + std::string(attribute.name));
      break;
    case FormatVerdict::kGood:
      AddDataRule(context, attribute, *accessor, where);
      break;
    case FormatVerdict::kNoRule:
      if (accessor->raw->component == kUint32) {
        findings.Add("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT", where,
                     "attributes cannot be 32-bit integers");
      }
      break;
  }
  LayoutRules(context, attribute, *accessor, where);
  const std::uint64_t count = accessor->raw->count;
  if (primitive.vertex_count == kNoNumber) {
    primitive.vertex_count = primitive.drawn_count = count;
  } else if (count != kNoNumber && primitive.vertex_count != count) {
    findings.Add("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", where,
                 "has " + std::to_string(count) + " elements, but the first attribute has " +
                     std::to_string(primitive.vertex_count));
  }
}

/// What the others are compared with should be the positions, as in the files of most writers.
void BaseAttributes(Context& context, CheckedPrimitive& primitive) {
  for (const bool positions : {true, false}) {
    for (const RawAttribute& attribute : primitive.raw->attributes) {
      if ((attribute.name == "POSITION") == positions) {
        BaseAttribute(context, primitive, attribute);
      }
    }
  }
}

void Indices(Context& context, CheckedPrimitive& primitive) {
  CheckModel& model = context.model();
  const std::string where = primitive.pointer + "/indices";
  CheckedAccessor* accessor = context.Find(model.accessors, primitive.raw->indices, where);
  if (accessor == nullptr) return;
  primitive.drawn_count = accessor->raw->count;
  context.UseAccessor(*accessor, AccessorUsage::kIndices, where);
  if (CheckedView* view = context.ViewOf(*accessor)) {
    context.UseView(*view, ViewUsage::kIndices, where);
    if (view->raw->byte_stride != 0) {
      context.findings().Add("MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE", where,
                             "the buffer view of vertex indices must not have byteStride");
    }
  }
  const AccessorFormat format = accessor->format();
  if (format.type != kScalar || format.normalized ||
      (format.component != kUint8 && format.component != kUint16 && format.component != kUint32)) {
    context.findings().Add(
        "MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", where,
        format.ToString() + " is not allowed; indices are SCALAR of an unsigned type");
    return;
  }
  const std::uint64_t vertices = primitive.vertex_count;
  model.data_rules.push_back({.accessor = static_cast<std::uint32_t>(primitive.raw->indices),
                              .kind = DataRuleKind::kIndices,
                              .where = where,
                              .vertex_count = vertices == kNoNumber ? 0 : vertices,
                              .mode = primitive.raw->mode});
}

bool FitsMode(std::uint64_t count, PrimitiveMode mode) {
  switch (mode) {
    case PrimitiveMode::kLines:
      return count % 2 == 0;
    case PrimitiveMode::kLineLoop:
    case PrimitiveMode::kLineStrip:
      return count >= 2;
    case PrimitiveMode::kTriangles:
      return count % 3 == 0;
    case PrimitiveMode::kTriangleStrip:
    case PrimitiveMode::kTriangleFan:
      return count >= 3;
    case PrimitiveMode::kPoints:
    case PrimitiveMode::kUnknown:
      break;
  }
  return true;
}

/// The texture coordinates that a material wants of the primitive.
void Texcoords(Context& context, CheckedPrimitive& primitive, const CheckedMaterial& material,
               const std::string& where) {
  const auto want = [&](const CheckedTextureInfo& info, std::int64_t set) {
    if (set == kNone) return;
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
  CheckedMaterial* material =
      context.Follow(context.model().materials, primitive.raw->material, where);
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

void TargetAttribute(Context& context, const CheckedPrimitive& primitive,
                     const RawAttribute& attribute, const std::string& where) {
  CheckModel& model = context.model();
  Findings& findings = context.findings();
  CheckedAccessor* accessor = context.Find(model.accessors, attribute.accessor, where);
  if (accessor == nullptr) return;
  const std::string name(attribute.name);
  CommonRules(context, attribute, *accessor, where);
  const CheckedAccessor* original =
      CheckModel::Resolve(model.accessors, primitive.raw->Find(attribute.name));
  const auto in_words = [](std::uint64_t count) {
    return count == kNoNumber ? std::string("an unknown number of") : std::to_string(count);
  };
  if (original == nullptr) {
    findings.Add("MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR", where,
                 "the primitive has no " + name + " to change");
  } else if (original->raw->count != accessor->raw->count) {
    findings.Add("MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT", where,
                 "has " + in_words(accessor->raw->count) + " elements, but the mesh has " +
                     in_words(original->raw->count) + " vertices");
  }
  if (JudgeFormat(AttributeKind(attribute.name), accessor->format(), true,
                  model.uses_quantization) == FormatVerdict::kBad) {
    findings.Add(
        "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", where,
        accessor->format().ToString() + " is not allowed for " + name + " of a morph target");
  }
  LayoutRules(context, attribute, *accessor, where);
}

void Targets(Context& context, const CheckedPrimitive& primitive) {
  for (std::size_t i = 0; i < primitive.raw->targets.size(); ++i) {
    const std::string base = JoinPointer(primitive.pointer + "/targets", i);
    for (const bool positions : {true, false}) {
      for (const RawAttribute& attribute : primitive.raw->targets[i]) {
        if ((attribute.name == "POSITION") != positions) continue;
        TargetAttribute(context, primitive, attribute, JoinPointer(base, attribute.name));
      }
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
      if (variant == kNone) continue;
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
    for (CheckedPrimitive& primitive : mesh.primitives) {
      Mappings(context, primitive);
      BaseAttributes(context, primitive);
      Indices(context, primitive);
      if (primitive.drawn_count != kNoNumber &&
          !FitsMode(primitive.drawn_count, primitive.raw->mode)) {
        context.findings().Add("MESH_PRIMITIVE_INCOMPATIBLE_MODE", primitive.pointer,
                               std::to_string(primitive.drawn_count) +
                                   " vertices or indices do not make up " +
                                   kModes[static_cast<std::size_t>(primitive.raw->mode)]);
      }
      MaterialRules(context, primitive);
      Targets(context, primitive);
    }
  }
}

}  // namespace flexor::io::gltf::links
