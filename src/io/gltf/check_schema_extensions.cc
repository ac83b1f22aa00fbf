#include <algorithm>
#include <numbers>

#include "io/gltf/check_rules_object.h"
#include "io/gltf/check_schema.h"
#include "io/gltf/check_schema_tables.h"

// The tables follow the extensions' own pages in the Khronos registry.

namespace flexor::io::gltf {
namespace {

using namespace row;
using std::string_view;

constexpr Property kWebp[] = {Index("source")};
constexpr ObjectType kWebpType{"EXT_texture_webp", kWebp};

constexpr Property kAnimationPointer[] = {Text("pointer", kRequired, Pattern::kJsonPointer)};
constexpr ObjectType kAnimationPointerType{"KHR_animation_pointer", kAnimationPointer};

constexpr string_view kLightTypes[] = {"directional", "point", "spot"};
constexpr Property kSpot[] = {
    Number("innerConeAngle", {.least = 0, .below = std::numbers::pi / 2}),
    Number("outerConeAngle", {.greatest = std::numbers::pi / 2, .above = 0})};
constexpr ObjectType kSpotType{"spot cone", kSpot, CheckSpotCone};
constexpr Property kLight[] = {
    Numbers("color", 3, kUnitRange), Number("intensity", kNotNegative),
    Object("spot", kSpotType),       Choice("type", kLightTypes, kRequired),
    Number("range", kPositive),      Text("name")};
constexpr ObjectType kLightType{"light", kLight, CheckLight};
constexpr Property kLights[] = {Objects("lights", kLightType)};
constexpr ObjectType kLightsType{"KHR_lights_punctual", kLights};
constexpr Property kNodeLight[] = {Index("light", kRequired)};
constexpr ObjectType kNodeLightType{"KHR_lights_punctual", kNodeLight};

constexpr Property kAnisotropy[] = {Number("anisotropyStrength", kUnitRange),
                                    Number("anisotropyRotation"),
                                    Object("anisotropyTexture", kTextureInfoType)};
constexpr ObjectType kAnisotropyType{"KHR_materials_anisotropy", kAnisotropy};
constexpr Property kClearcoat[] = {Number("clearcoatFactor", kUnitRange),
                                   Object("clearcoatTexture", kTextureInfoType),
                                   Number("clearcoatRoughnessFactor", kUnitRange),
                                   Object("clearcoatRoughnessTexture", kTextureInfoType),
                                   Object("clearcoatNormalTexture", kNormalTextureInfoType)};
constexpr ObjectType kClearcoatType{"KHR_materials_clearcoat", kClearcoat};
constexpr Property kDispersion[] = {Number("dispersion", kNotNegative)};
constexpr ObjectType kDispersionType{"KHR_materials_dispersion", kDispersion};
constexpr Property kEmissiveStrength[] = {Number("emissiveStrength", kNotNegative)};
constexpr ObjectType kEmissiveStrengthType{"KHR_materials_emissive_strength", kEmissiveStrength};
constexpr Property kIor[] = {Number("ior", {.least = 1, .or_exactly = 0})};
constexpr ObjectType kIorType{"KHR_materials_ior", kIor};
constexpr Property kIridescence[] = {Number("iridescenceFactor", kUnitRange),
                                     Object("iridescenceTexture", kTextureInfoType),
                                     Number("iridescenceIor", {.least = 1}),
                                     Number("iridescenceThicknessMinimum", kNotNegative),
                                     Number("iridescenceThicknessMaximum", kNotNegative),
                                     Object("iridescenceThicknessTexture", kTextureInfoType)};
constexpr ObjectType kIridescenceType{"KHR_materials_iridescence", kIridescence, CheckIridescence};
constexpr Property kSpecularGlossiness[] = {
    Numbers("diffuseFactor", 4, kUnitRange), Object("diffuseTexture", kTextureInfoType),
    Numbers("specularFactor", 3, kUnitRange), Number("glossinessFactor", kUnitRange),
    Object("specularGlossinessTexture", kTextureInfoType)};
constexpr ObjectType kSpecularGlossinessType{"KHR_materials_pbrSpecularGlossiness",
                                             kSpecularGlossiness};
constexpr Property kSheen[] = {
    Numbers("sheenColorFactor", 3, kUnitRange), Object("sheenColorTexture", kTextureInfoType),
    Number("sheenRoughnessFactor", kUnitRange), Object("sheenRoughnessTexture", kTextureInfoType)};
constexpr ObjectType kSheenType{"KHR_materials_sheen", kSheen};
constexpr Property kSpecular[] = {Number("specularFactor", kUnitRange),
                                  Object("specularTexture", kTextureInfoType),
                                  Numbers("specularColorFactor", 3, kNotNegative),
                                  Object("specularColorTexture", kTextureInfoType)};
constexpr ObjectType kSpecularType{"KHR_materials_specular", kSpecular};
constexpr Property kTransmission[] = {Number("transmissionFactor", kUnitRange),
                                      Object("transmissionTexture", kTextureInfoType)};
constexpr ObjectType kTransmissionType{"KHR_materials_transmission", kTransmission};
constexpr ObjectType kUnlitType{"KHR_materials_unlit", {}};
constexpr Property kVolume[] = {
    Numbers("attenuationColor", 3, kUnitRange), Number("attenuationDistance", kPositive),
    Number("thicknessFactor", kNotNegative), Object("thicknessTexture", kTextureInfoType)};
constexpr ObjectType kVolumeType{"KHR_materials_volume", kVolume};

constexpr Property kVariant[] = {Text("name", kRequired)};
constexpr ObjectType kVariantType{"material variant", kVariant};
constexpr Property kVariants[] = {Objects("variants", kVariantType)};
constexpr ObjectType kVariantsType{"KHR_materials_variants", kVariants};
constexpr Property kMapping[] = {Indices("variants", kRequired), Index("material", kRequired),
                                 Text("name")};
constexpr ObjectType kMappingType{"material variant mapping", kMapping};
constexpr Property kMappings[] = {Objects("mappings", kMappingType)};
constexpr ObjectType kMappingsType{"KHR_materials_variants", kMappings};

constexpr Property kTextureTransform[] = {Numbers("offset", 2), Number("rotation"),
                                          Numbers("scale", 2), Integer("texCoord", 0)};
constexpr ObjectType kTextureTransformType{"KHR_texture_transform", kTextureTransform};

constexpr bool kAlone = true;

}  // namespace

std::span<const ExtensionType> ExtensionTypes() {
  static constexpr ExtensionType kExtensions[] = {
      {"EXT_texture_webp", &kTextureType, &kWebpType},
      {"KHR_animation_pointer", &kChannelTargetType, &kAnimationPointerType},
      {"KHR_lights_punctual", &kRootType, &kLightsType},
      {"KHR_lights_punctual", &kNodeType, &kNodeLightType},
      {"KHR_materials_anisotropy", &kMaterialType, &kAnisotropyType},
      {"KHR_materials_clearcoat", &kMaterialType, &kClearcoatType},
      {"KHR_materials_dispersion", &kMaterialType, &kDispersionType},
      {"KHR_materials_emissive_strength", &kMaterialType, &kEmissiveStrengthType},
      {"KHR_materials_ior", &kMaterialType, &kIorType},
      {"KHR_materials_iridescence", &kMaterialType, &kIridescenceType},
      {"KHR_materials_pbrSpecularGlossiness", &kMaterialType, &kSpecularGlossinessType, kAlone},
      {"KHR_materials_sheen", &kMaterialType, &kSheenType},
      {"KHR_materials_specular", &kMaterialType, &kSpecularType},
      {"KHR_materials_transmission", &kMaterialType, &kTransmissionType},
      {"KHR_materials_unlit", &kMaterialType, &kUnlitType, kAlone},
      {"KHR_materials_variants", &kRootType, &kVariantsType},
      {"KHR_materials_variants", &kPrimitiveType, &kMappingsType},
      {"KHR_materials_volume", &kMaterialType, &kVolumeType},
      {"KHR_texture_transform", &kTextureInfoType, &kTextureTransformType},
      {"KHR_texture_transform", &kNormalTextureInfoType, &kTextureTransformType},
      {"KHR_texture_transform", &kOcclusionTextureInfoType, &kTextureTransformType},
  };
  return kExtensions;
}

bool IsKnownExtension(std::string_view name) {
  // Of this one the rules for attributes know all there is.
  if (name == "KHR_mesh_quantization") return true;
  const auto types = ExtensionTypes();
  return std::any_of(types.begin(), types.end(),
                     [&](const ExtensionType& type) { return type.extension == name; });
}

}  // namespace flexor::io::gltf
