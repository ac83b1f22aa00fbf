#include <algorithm>
#include <iterator>

#include "io/gltf/check_rules_object.h"
#include "io/gltf/check_schema.h"
#include "io/gltf/check_schema_tables.h"

// The tables follow the properties of the glTF 2.0 specification, chapter 5.

namespace flexor::io::gltf {
namespace {

using namespace row;
using std::int64_t;
using std::string_view;

constexpr int64_t kComponentTypes[] = {5120, 5121, 5122, 5123, 5125, 5126};
constexpr int64_t kSparseIndexTypes[] = {5121, 5123, 5125};
constexpr int64_t kTargets[] = {34962, 34963};
constexpr int64_t kMagFilters[] = {9728, 9729};
constexpr int64_t kMinFilters[] = {9728, 9729, 9984, 9985, 9986, 9987};
constexpr int64_t kWraps[] = {33071, 33648, 10497};
constexpr string_view kElementTypes[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"};
constexpr string_view kPaths[] = {"translation", "rotation", "scale", "weights"};
constexpr string_view kInterpolations[] = {"LINEAR", "STEP", "CUBICSPLINE"};
constexpr string_view kCameras[] = {"orthographic", "perspective"};
constexpr string_view kImageTypes[] = {"image/jpeg", "image/png"};
constexpr string_view kAlphaModes[] = {"OPAQUE", "MASK", "BLEND"};

constexpr Property kRoot[] = {Other("extensionsUsed", PropertyKind::kBounds),
                              Other("extensionsRequired", PropertyKind::kBounds),
                              Other("asset", PropertyKind::kBounds), Index("scene")};

constexpr Property kAsset[] = {Text("copyright"), Text("generator"),
                               Text("version", kRequired, Pattern::kVersion),
                               Text("minVersion", false, Pattern::kVersion)};

constexpr Property kSparseIndices[] = {Index("bufferView", kRequired), Integer("byteOffset", 0),
                                       OneOf("componentType", kSparseIndexTypes, kRequired)};
constexpr ObjectType kSparseIndicesType{"sparse indices", kSparseIndices};
constexpr Property kSparseValues[] = {Index("bufferView", kRequired), Integer("byteOffset", 0)};
constexpr ObjectType kSparseValuesType{"sparse values", kSparseValues};
constexpr Property kSparse[] = {Integer("count", 1, kRequired),
                                Object("indices", kSparseIndicesType, kRequired),
                                Object("values", kSparseValuesType, kRequired)};
constexpr ObjectType kSparseType{"sparse", kSparse};
constexpr Property kAccessor[] = {Index("bufferView"),
                                  Integer("byteOffset", 0),
                                  OneOf("componentType", kComponentTypes, kRequired),
                                  Integer("count", 1, kRequired),
                                  Choice("type", kElementTypes, kRequired),
                                  Bool("normalized"),
                                  Other("max", PropertyKind::kBounds),
                                  Other("min", PropertyKind::kBounds),
                                  Object("sparse", kSparseType),
                                  Text("name")};

constexpr Property kChannelTarget[] = {
    Index("node"), Choice("path", kPaths, kRequired, {"KHR_animation_pointer", "pointer"})};
constexpr Property kChannel[] = {Object("target", kChannelTargetType, kRequired),
                                 Index("sampler", kRequired)};
constexpr ObjectType kChannelType{"animation channel", kChannel};
constexpr Property kAnimationSampler[] = {Index("input", kRequired),
                                          Choice("interpolation", kInterpolations),
                                          Index("output", kRequired)};
constexpr ObjectType kAnimationSamplerType{"animation sampler", kAnimationSampler};
constexpr Property kAnimation[] = {Objects("channels", kChannelType),
                                   Objects("samplers", kAnimationSamplerType), Text("name")};

constexpr Property kBuffer[] = {Text("uri"), Integer("byteLength", 1, kRequired), Text("name")};
constexpr Property kBufferView[] = {
    Index("buffer", kRequired),          Integer("byteOffset", 0),
    Integer("byteLength", 1, kRequired), Integer("byteStride", 4, false, 252),
    OneOf("target", kTargets),           Text("name")};

constexpr Property kOrthographic[] = {Number("xmag", {}, kRequired), Number("ymag", {}, kRequired),
                                      Number("zfar", kPositive, kRequired),
                                      Number("znear", kNotNegative, kRequired)};
constexpr ObjectType kOrthographicType{"orthographic camera", kOrthographic, CheckOrthographic};
constexpr Property kPerspective[] = {
    Number("aspectRatio", kPositive), Number("yfov", kPositive, kRequired),
    Number("zfar", kPositive), Number("znear", kPositive, kRequired)};
constexpr ObjectType kPerspectiveType{"perspective camera", kPerspective, CheckPerspective};
// Which of the two must be there depends on the type: CheckCamera.
constexpr Property kCamera[] = {Choice("type", kCameras, kRequired),
                                Object("orthographic", kOrthographicType),
                                Object("perspective", kPerspectiveType), Text("name")};

constexpr Property kImage[] = {
    Index("bufferView"), Choice("mimeType", kImageTypes, false, {"EXT_texture_webp", "image/webp"}),
    Text("uri"), Text("name")};

constexpr Property kTextureInfo[] = {Index("index", kRequired), Integer("texCoord", 0)};
constexpr Property kNormalTextureInfo[] = {Index("index", kRequired), Integer("texCoord", 0),
                                           Number("scale")};
constexpr Property kOcclusionTextureInfo[] = {Index("index", kRequired), Integer("texCoord", 0),
                                              Number("strength", kUnitRange)};
constexpr Property kPbr[] = {
    Numbers("baseColorFactor", 4, kUnitRange), Object("baseColorTexture", kTextureInfoType),
    Number("metallicFactor", kUnitRange), Number("roughnessFactor", kUnitRange),
    Object("metallicRoughnessTexture", kTextureInfoType)};
constexpr ObjectType kPbrType{"metallic-roughness", kPbr};
constexpr Property kMaterial[] = {Object("pbrMetallicRoughness", kPbrType),
                                  Object("normalTexture", kNormalTextureInfoType),
                                  Object("occlusionTexture", kOcclusionTextureInfoType),
                                  Object("emissiveTexture", kTextureInfoType),
                                  Numbers("emissiveFactor", 3, kUnitRange),
                                  Choice("alphaMode", kAlphaModes),
                                  Number("alphaCutoff", kNotNegative),
                                  Bool("doubleSided"),
                                  Text("name")};

constexpr Property kPrimitive[] = {
    Other("attributes", PropertyKind::kAttributes, kRequired), Index("indices"), Index("material"),
    Integer("mode", 0, false, 6), Other("targets", PropertyKind::kTargets)};
constexpr Property kMesh[] = {Objects("primitives", kPrimitiveType), Numbers("weights", 0),
                              Text("name")};

constexpr Property kNode[] = {
    Index("camera"),       Indices("children"),
    Index("skin"),         Numbers("matrix", 16),
    Index("mesh"),         Numbers("rotation", 4, {.least = -1, .greatest = 1}),
    Numbers("scale", 3),   Numbers("translation", 3),
    Numbers("weights", 0), Text("name")};

constexpr Property kSampler[] = {OneOf("magFilter", kMagFilters), OneOf("minFilter", kMinFilters),
                                 OneOf("wrapS", kWraps), OneOf("wrapT", kWraps), Text("name")};
constexpr Property kScene[] = {Indices("nodes"), Text("name")};
constexpr Property kSkin[] = {Index("inverseBindMatrices"), Index("skeleton"),
                              Indices("joints", kRequired), Text("name")};
constexpr Property kTexture[] = {Index("sampler"), Index("source"), Text("name")};

}  // namespace

const ObjectType kRootType{"glTF", kRoot};
const ObjectType kAssetType{"asset", kAsset, CheckAsset};
const ObjectType kAccessorType{"accessor", kAccessor, CheckAccessor};
const ObjectType kAnimationType{"animation", kAnimation};
const ObjectType kChannelTargetType{"animation channel target", kChannelTarget};
const ObjectType kBufferType{"buffer", kBuffer, CheckBuffer};
const ObjectType kBufferViewType{"buffer view", kBufferView, CheckBufferView};
const ObjectType kCameraType{"camera", kCamera, CheckCamera};
const ObjectType kImageType{"image", kImage, CheckImage};
const ObjectType kMaterialType{"material", kMaterial, CheckMaterial};
const ObjectType kTextureInfoType{"texture info", kTextureInfo};
const ObjectType kNormalTextureInfoType{"normal texture info", kNormalTextureInfo};
const ObjectType kOcclusionTextureInfoType{"occlusion texture info", kOcclusionTextureInfo};
const ObjectType kMeshType{"mesh", kMesh, CheckMesh};
const ObjectType kPrimitiveType{"mesh primitive", kPrimitive, CheckPrimitive};
const ObjectType kNodeType{"node", kNode, CheckNode};
const ObjectType kSamplerType{"sampler", kSampler};
const ObjectType kSceneType{"scene", kScene};
const ObjectType kSkinType{"skin", kSkin};
const ObjectType kTextureType{"texture", kTexture};

std::span<const Collection> Collections() {
  static constexpr Collection kCollections[] = {
      {"accessors", &kAccessorType},     {"animations", &kAnimationType}, {"buffers", &kBufferType},
      {"bufferViews", &kBufferViewType}, {"cameras", &kCameraType},       {"images", &kImageType},
      {"materials", &kMaterialType},     {"meshes", &kMeshType},          {"nodes", &kNodeType},
      {"samplers", &kSamplerType},       {"scenes", &kSceneType},         {"skins", &kSkinType},
      {"textures", &kTextureType},
  };
  return kCollections;
}

}  // namespace flexor::io::gltf
