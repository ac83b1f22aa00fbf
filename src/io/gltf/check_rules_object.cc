#include "io/gltf/check_rules_object.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "io/gltf/attribute_names.h"
#include "io/gltf/check_names.h"
#include "io/gltf/layout.h"
#include "io/json/access.h"

namespace flexor::io::gltf {
namespace {

using json::IntegerOf;
using json::JoinPointer;

/// The two numbers of a version that matched Pattern::kVersion.
std::pair<double, double> VersionNumbers(const std::string& version) {
  const std::size_t dot = version.find('.');
  return {std::strtod(version.substr(0, dot).c_str(), nullptr),
          std::strtod(version.substr(dot + 1).c_str(), nullptr)};
}

/// Whether the values, as the floats that they are stored in, are the identity matrix.
bool IsIdentity(const std::vector<double>& matrix) {
  for (std::size_t i = 0; i < 16; ++i) {
    if (static_cast<float>(matrix[i]) != (i % 5 == 0 ? 1.0f : 0.0f)) return false;
  }
  return true;
}

/// Whether a column-major matrix is a product of translation, rotation and scale: an affine one
/// whose three axes are at right angles and not of length zero.
bool IsDecomposable(const std::vector<double>& m) {
  constexpr double kLargestCosine = 1e-4;
  if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1) return false;
  std::array<double, 3> length{};
  for (std::size_t c = 0; c < 3; ++c) length[c] = std::hypot(m[4 * c], m[4 * c + 1], m[4 * c + 2]);
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t b = (a + 1) % 3;
    if (!(length[a] > 0)) return false;
    double dot = 0;
    for (std::size_t r = 0; r < 3; ++r) dot += m[4 * a + r] / length[a] * m[4 * b + r];
    if (!(std::abs(dot) <= kLargestCosine * length[b])) return false;
  }
  return true;
}

/// Judges min or max of an accessor against its type.
void CheckBounds(SchemaCheck& check, const ValidObject& accessor, const char* key,
                 ComponentType component, std::size_t components) {
  const json::Value* bounds = accessor.Find(key);
  if (bounds == nullptr) return;
  const std::string where = JoinPointer(accessor.pointer(), key);
  Findings& findings = check.findings();
  if (!bounds->is_array()) {
    check.MarkInvalid(*bounds);
    findings.Add("TYPE_MISMATCH", where, "must be an array, but is " + json::Describe(*bounds));
    return;
  }
  const bool is_float = component == ComponentType::kFloat;
  if (bounds->empty() && is_float) {
    check.MarkInvalid(*bounds);
    findings.Add("EMPTY_ENTITY", where, "the array is empty");
    return;
  }
  if (bounds->size() != components) {
    check.MarkInvalid(*bounds);
    findings.Add("ARRAY_LENGTH_NOT_IN_LIST", where,
                 "must hold " + std::to_string(components) + " numbers, but holds " +
                     std::to_string(bounds->size()));
    return;
  }
  const auto [least, greatest] = IntegerLimits(component);
  for (std::size_t i = 0; i < bounds->size(); ++i) {
    const json::Value& bound = (*bounds)[i];
    const auto integer = IntegerOf(bound);
    if (is_float ? !bound.is_number() : !integer.has_value()) {
      check.MarkInvalid(*bounds);
      findings.Add("ARRAY_TYPE_MISMATCH", where,
                   "element " + std::to_string(i) + " must be " +
                       (is_float ? "a number" : "an integer") + ", but is " +
                       json::Describe(bound));
    } else if (is_float && std::isinf(bound.get<double>())) {
      check.MarkInvalid(*bounds);
      findings.Add("VALUE_NOT_IN_RANGE", JoinPointer(where, i), "is infinite");
    } else if (!is_float && (*integer < least || *integer > greatest)) {
      check.MarkInvalid(*bounds);
      findings.Add("INVALID_GL_VALUE", where,
                   "is " + json::Describe(bound) + ", but the component type holds " +
                       std::to_string(least) + " to " + std::to_string(greatest));
    }
  }
}

}  // namespace

void CheckAsset(SchemaCheck& check, const ValidObject& asset) {
  const std::string* version = asset.String("version");
  const std::string* least = asset.String("minVersion");
  if (version == nullptr || least == nullptr) return;
  if (VersionNumbers(*least) > VersionNumbers(*version)) {
    check.findings().Add("ASSET_MIN_VERSION_GREATER_THAN_VERSION",
                         JoinPointer(asset.pointer(), "minVersion"),
                         "minVersion " + *least + " is above version " + *version);
  }
}

void CheckAccessor(SchemaCheck& check, const ValidObject& accessor) {
  Findings& findings = check.findings();
  const auto at = [&](const char* key) { return JoinPointer(accessor.pointer(), key); };
  const bool has_view = accessor.Index("bufferView") != -1;
  if (!has_view && accessor.Has("byteOffset")) {
    findings.Add("UNSATISFIED_DEPENDENCY", at("byteOffset"),
                 "byteOffset needs bufferView, which is missing");
  }
  const ComponentType component =
      ComponentNumbered(static_cast<std::uint64_t>(accessor.Integer("componentType", 0)));
  const std::string* type = accessor.String("type");
  const std::size_t components = type != nullptr ? ComponentCount(ElementNamed(*type)) : 0;
  if (component != ComponentType::kUnknown && components != 0) {
    CheckBounds(check, accessor, "min", component, components);
    CheckBounds(check, accessor, "max", component, components);
  }
  if (accessor.Bool("normalized") &&
      (component == ComponentType::kFloat || component == ComponentType::kUint32)) {
    findings.Add(
        "ACCESSOR_NORMALIZED_INVALID", at("normalized"),
        std::string("values of type ") + ComponentName(component) + " cannot be normalized");
  }
  const std::int64_t offset = has_view ? accessor.Integer("byteOffset", 0, -1) : 0;
  if (type != nullptr && type->starts_with("MAT") && components != 0 && offset != -1 &&
      offset % 4 != 0) {
    findings.Add(
        "ACCESSOR_MATRIX_ALIGNMENT", at("byteOffset"),
        "matrices start on multiples of 4 bytes, but byteOffset is " + std::to_string(offset));
  }
}

void CheckBuffer(SchemaCheck& check, const ValidObject& buffer) {
  const std::string* uri = buffer.String("uri");
  if (uri == nullptr) return;
  CheckUri(check.findings(), *uri, JoinPointer(buffer.pointer(), "uri"), check.is_glb());
}

void CheckBufferView(SchemaCheck& check, const ValidObject& view) {
  Findings& findings = check.findings();
  const std::int64_t stride = view.Integer("byteStride", -1);
  if (stride == -1) return;
  const std::string where = JoinPointer(view.pointer(), "byteStride");
  const std::int64_t length = view.Integer("byteLength", -1);
  if (length != -1 && stride > length) {
    findings.Add("BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", where,
                 "byteStride " + std::to_string(stride) + " is greater than byteLength " +
                     std::to_string(length));
  }
  if (stride % 4 != 0) {
    findings.Add("VALUE_MULTIPLE_OF", where,
                 "is " + std::to_string(stride) + ", but must be a multiple of 4");
  }
  if (view.Integer("target", -1) == 34963) {
    findings.Add("BUFFER_VIEW_INVALID_BYTE_STRIDE", where,
                 "a buffer view of vertex indices must not have byteStride");
  }
}

void CheckCamera(SchemaCheck& check, const ValidObject& camera) {
  Findings& findings = check.findings();
  if (camera.Has("orthographic") && camera.Has("perspective")) {
    findings.Add("ONE_OF_MISMATCH", camera.pointer(),
                 "has both 'orthographic' and 'perspective', but must have one");
  }
  const std::string* type = camera.String("type");
  if (type == nullptr || (*type != "orthographic" && *type != "perspective")) return;
  if (!camera.Has(*type)) {
    findings.Add("UNDEFINED_PROPERTY", camera.pointer(),
                 "lacks the property '" + *type + "', which its type requires");
  }
}

void CheckOrthographic(SchemaCheck& check, const ValidObject& camera) {
  Findings& findings = check.findings();
  constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
  const double far_plane = camera.Number("zfar", kAbsent);
  const double near_plane = camera.Number("znear", kAbsent);
  if (far_plane <= near_plane) {
    findings.Add(
        "CAMERA_ZFAR_LEQUAL_ZNEAR", camera.pointer(),
        "zfar " + ShortNumber(far_plane) + " is not greater than znear " + ShortNumber(near_plane));
  }
  for (const char* key : {"xmag", "ymag"}) {
    const double magnification = camera.Number(key, kAbsent);
    if (magnification == 0) {
      findings.Add("CAMERA_XMAG_YMAG_ZERO", JoinPointer(camera.pointer(), key), "must not be zero");
    } else if (magnification < 0) {
      findings.Add("CAMERA_XMAG_YMAG_NEGATIVE", JoinPointer(camera.pointer(), key),
                   "should not be negative, but is " + ShortNumber(magnification));
    }
  }
}

void CheckPerspective(SchemaCheck& check, const ValidObject& camera) {
  Findings& findings = check.findings();
  constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
  const double angle = camera.Number("yfov", kAbsent);
  if (angle >= std::numbers::pi) {
    findings.Add("CAMERA_YFOV_GEQUAL_PI", camera.pointer(),
                 "yfov should be less than half a turn, but is " + ShortNumber(angle) + " radians");
  }
  const double far_plane = camera.Number("zfar", kAbsent);
  const double near_plane = camera.Number("znear", kAbsent);
  if (far_plane <= near_plane) {
    findings.Add(
        "CAMERA_ZFAR_LEQUAL_ZNEAR", camera.pointer(),
        "zfar " + ShortNumber(far_plane) + " is not greater than znear " + ShortNumber(near_plane));
  }
}

void CheckImage(SchemaCheck& check, const ValidObject& image) {
  Findings& findings = check.findings();
  const bool has_view = image.Index("bufferView") != -1;
  const std::string* uri = image.String("uri");
  if (has_view && image.String("mimeType") == nullptr) {
    findings.Add("UNSATISFIED_DEPENDENCY", JoinPointer(image.pointer(), "bufferView"),
                 "bufferView needs mimeType, which is missing");
  }
  if (has_view == (uri != nullptr)) {
    findings.Add("ONE_OF_MISMATCH", image.pointer(),
                 has_view ? "has both 'bufferView' and 'uri', but must have one"
                          : "has neither 'bufferView' nor 'uri', but must have one");
  }
  if (uri != nullptr) {
    CheckUri(findings, *uri, JoinPointer(image.pointer(), "uri"), check.is_glb());
  }
}

void CheckMaterial(SchemaCheck& check, const ValidObject& material) {
  Findings& findings = check.findings();
  const std::string* mode = material.String("alphaMode");
  if (material.Has("alphaCutoff") &&
      (mode == nullptr ? material.Find("alphaMode") == nullptr : *mode != "MASK")) {
    findings.Add("MATERIAL_ALPHA_CUTOFF_INVALID_MODE",
                 JoinPointer(material.pointer(), "alphaCutoff"),
                 "alphaCutoff has no effect, as alphaMode is " +
                     (mode != nullptr ? *mode : std::string("OPAQUE")));
  }
  const auto known = [&](const char* name) {
    return check.Uses(name) ? material.Extension(name) : std::nullopt;
  };
  // A texture beside the normal texture that should use the same coordinates.
  const auto same_texcoord = [&](const char* extension, const char* name, const char* code) {
    const auto holder = known(extension);
    const auto texture = holder ? holder->Object(name) : std::nullopt;
    const auto normal = material.Object("normalTexture");
    if (!texture || !normal) return;
    const std::int64_t own = texture->Integer("texCoord", 0);
    const std::int64_t other = normal->Integer("texCoord", 0);
    if (own != other) {
      findings.Add(code, texture->pointer(),
                   "uses TEXCOORD_" + std::to_string(own) + ", but the normal texture TEXCOORD_" +
                       std::to_string(other));
    }
  };
  same_texcoord("KHR_materials_anisotropy", "anisotropyTexture",
                "KHR_MATERIALS_ANISOTROPY_ANISOTROPY_TEXTURE_TEXCOORD");
  same_texcoord("KHR_materials_clearcoat", "clearcoatNormalTexture",
                "KHR_MATERIALS_CLEARCOAT_CLEARCOAT_NORMAL_TEXTURE_TEXCOORD");
  if (const auto dispersion = known("KHR_materials_dispersion");
      dispersion && !material.Extension("KHR_materials_volume")) {
    findings.Add("KHR_MATERIALS_DISPERSION_NO_VOLUME", dispersion->pointer(),
                 "the material has no KHR_materials_volume");
  }
  if (const auto emission = known("KHR_materials_emissive_strength")) {
    const double strength = emission->Number("emissiveStrength", 1);
    const auto factor = material.Numbers("emissiveFactor");
    const bool is_dark = factor ? std::all_of(factor->begin(), factor->end(),
                                              [](double channel) { return channel == 0; })
                                : !material.Has("emissiveFactor");
    if (!std::isnan(strength) && strength != 1 && is_dark) {
      findings.Add("KHR_MATERIALS_EMISSIVE_STRENGTH_ZERO_FACTOR", emission->pointer(),
                   "has no effect, as emissiveFactor is zero");
    }
  }
  if (const auto volume = known("KHR_materials_volume")) {
    // An extension that the check does not know may let light through.
    bool may_transmit = false;
    for (const auto& [name, value] : material.value()["extensions"].items()) {
      may_transmit |= name == "KHR_materials_transmission" || !IsKnownExtension(name);
    }
    if (!may_transmit) {
      findings.Add("KHR_MATERIALS_VOLUME_NO_TRANSMISSION", volume->pointer(),
                   "no other extension lets light through the surface");
    }
    if (material.Bool("doubleSided") && volume->Number("thicknessFactor", 0) > 0) {
      findings.Add("KHR_MATERIALS_VOLUME_DOUBLE_SIDED", volume->pointer(),
                   "the material is double-sided");
    }
  }
}

void CheckMesh(SchemaCheck& check, const ValidObject& mesh) {
  const json::Value* primitives = mesh.Array("primitives");
  if (primitives == nullptr) return;
  std::size_t first_count = 0;
  for (std::size_t i = 0; i < primitives->size(); ++i) {
    const ValidObject primitive = mesh.Element("primitives", i);
    const json::Value* targets = primitive.Array("targets");
    const std::size_t count = targets != nullptr ? targets->size() : 0;
    if (i == 0) {
      first_count = count;
    } else if (count != first_count) {
      check.findings().Add(
          "MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT",
          count > 0 ? JoinPointer(primitive.pointer(), "targets") : primitive.pointer(),
          "has " + std::to_string(count) + " morph targets, but the first primitive has " +
              std::to_string(first_count));
    }
  }
  const json::Value* weights = mesh.Array("weights");
  if (weights != nullptr && weights->size() != first_count) {
    check.findings().Add("MESH_INVALID_WEIGHTS_COUNT", JoinPointer(mesh.pointer(), "weights"),
                         "has " + std::to_string(weights->size()) + " weights for " +
                             std::to_string(first_count) + " morph targets");
  }
}

void CheckPrimitive(SchemaCheck& check, const ValidObject& primitive) {
  Findings& findings = check.findings();
  if (const auto attributes = primitive.Object("attributes")) {
    AttributeSets sets;
    for (const auto& [name, index] : attributes->value().items()) CountAttribute(name, sets);
    const std::string& where = attributes->pointer();
    for (const std::string_view name : sets.invalid) {
      findings.Add(
          "MESH_PRIMITIVE_INVALID_ATTRIBUTE", JoinPointer(where, name),
          "'" + std::string(name) + "' is no attribute of the format; own names start with _");
    }
    if (!sets.has_position) {
      findings.Add("MESH_PRIMITIVE_NO_POSITION", where, "there is no POSITION");
    }
    if (sets.has_tangent && !sets.has_normal) {
      findings.Add("MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL", JoinPointer(where, "TANGENT"),
                   "there is a TANGENT but no NORMAL");
    }
    for (const auto& [name, set] :
         {std::pair<const char*, const AttributeSet*>{"COLOR", &sets.color},
          {"JOINTS", &sets.joints},
          {"WEIGHTS", &sets.weights},
          {"TEXCOORD", &sets.texcoord}}) {
      if (set->IsContinuous()) continue;
      findings.Add("MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY", where,
                   std::string(name) + " counts up to " + std::to_string(set->highest) +
                       ", but there are only " + std::to_string(set->count) + " of them");
    }
    if (sets.joints.Usable() != sets.weights.Usable()) {
      findings.Add("MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", where,
                   "there are " + std::to_string(sets.joints.Usable()) + " sets of JOINTS and " +
                       std::to_string(sets.weights.Usable()) + " of WEIGHTS");
    }
  }
  const json::Value* targets = primitive.Array("targets");
  for (std::size_t i = 0; targets != nullptr && i < targets->size(); ++i) {
    const std::string where = JoinPointer(JoinPointer(primitive.pointer(), "targets"), i);
    for (const auto& [name, index] : (*targets)[i].items()) {
      if (IsMorphAttribute(name)) continue;
      findings.Add("MESH_PRIMITIVE_INVALID_ATTRIBUTE", JoinPointer(where, name),
                   "'" + name + "' is no attribute that a morph target can change");
    }
  }
}

void CheckNode(SchemaCheck& check, const ValidObject& node) {
  Findings& findings = check.findings();
  const auto at = [&](const char* key) { return JoinPointer(node.pointer(), key); };
  if (node.Index("mesh") == -1) {
    for (const char* key : {"skin", "weights"}) {
      const bool is_given =
          std::string_view(key) == "skin" ? node.Index(key) != -1 : node.Array(key) != nullptr;
      if (!is_given) continue;
      findings.Add("UNSATISFIED_DEPENDENCY", at(key),
                   std::string(key) + " needs mesh, which is missing");
    }
  }
  const auto rotation = node.Numbers("rotation");
  if (rotation) {
    constexpr double kTolerance = 0.00769;
    double sum = 0;
    for (const double component : *rotation) {
      const double stored = static_cast<float>(component);
      sum += stored * stored;
    }
    const double length = std::sqrt(sum);
    if (std::abs(1 - length) > kTolerance) {
      findings.Add("ROTATION_NON_UNIT", at("rotation"),
                   "a quaternion must be of length 1, but is of length " + ShortNumber(length));
    }
  }
  const auto matrix = node.Numbers("matrix");
  if (!matrix) return;
  if (rotation || node.Array("translation") != nullptr || node.Array("scale") != nullptr) {
    findings.Add("NODE_MATRIX_TRS", at("matrix"),
                 "has a matrix besides translation, rotation or scale");
  }
  if (IsIdentity(*matrix)) {
    findings.Add("NODE_MATRIX_DEFAULT", at("matrix"), "is the identity; leave it out instead");
  } else if (!IsDecomposable(*matrix)) {
    findings.Add("NODE_MATRIX_NON_TRS", at("matrix"),
                 "is no product of translation, rotation and scale");
  }
}

void CheckSpotCone(SchemaCheck& check, const ValidObject& spot) {
  const double inner = spot.Number("innerConeAngle", 0);
  const double outer = spot.Number("outerConeAngle", std::numbers::pi / 4);
  if (outer <= inner) {
    check.findings().Add("KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES",
                         JoinPointer(spot.pointer(), "outerConeAngle"),
                         "outerConeAngle " + ShortNumber(outer) +
                             " is not greater than innerConeAngle " + ShortNumber(inner));
  }
}

void CheckLight(SchemaCheck& check, const ValidObject& light) {
  Findings& findings = check.findings();
  const std::string* type = light.String("type");
  const bool is_spot = type != nullptr && *type == "spot";
  if (is_spot && !light.Has("spot")) {
    findings.Add("UNDEFINED_PROPERTY", light.pointer(),
                 "lacks the property 'spot', which its type requires");
  } else if (!is_spot && light.Has("spot")) {
    findings.Add("EXTRA_PROPERTY", JoinPointer(light.pointer(), "spot"),
                 "has no effect on a light of this type");
  }
  if (type != nullptr && *type == "directional" && light.Find("range") != nullptr) {
    findings.Add("EXTRA_PROPERTY", JoinPointer(light.pointer(), "range"),
                 "has no effect on a light of this type");
  }
}

void CheckIridescence(SchemaCheck& check, const ValidObject& iridescence) {
  const double least = iridescence.Number("iridescenceThicknessMinimum", 100);
  const double greatest = iridescence.Number("iridescenceThicknessMaximum", 400);
  if (iridescence.Object("iridescenceThicknessTexture")) {
    if (least == greatest) {
      check.findings().Add("KHR_MATERIALS_IRIDESCENCE_THICKNESS_TEXTURE_UNUSED",
                           JoinPointer(iridescence.pointer(), "iridescenceThicknessTexture"),
                           "least and greatest thickness are both " + ShortNumber(least));
    }
  } else if (iridescence.Find("iridescenceThicknessMinimum") != nullptr) {
    check.findings().Add("KHR_MATERIALS_IRIDESCENCE_THICKNESS_RANGE_WITHOUT_TEXTURE",
                         JoinPointer(iridescence.pointer(), "iridescenceThicknessMinimum"),
                         "has no effect without a thickness texture");
  }
}

}  // namespace flexor::io::gltf
