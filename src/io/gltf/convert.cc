#include "io/gltf/convert.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "flexor/math/palette_split.h"

#include "io/gltf/accessor.h"
#include "io/gltf/animations.h"
#include "io/gltf/materials.h"
#include "io/gltf/meshes.h"
#include "io/gltf/skins.h"
#include "io/gltf/vrm.h"
#include "io/rules.h"

namespace flexor::io::gltf {
namespace {

/// The nearest translation, rotation and scale: exact for every matrix that is one, mirrored or
/// not. A degenerate one keeps the lengths of its columns.
Transform NearestTransform(const Mat34d& m) {
  const PaletteSplit split = SplitGramSchmidt(m);
  Transform transform;
  transform.translation = m.translation;
  if (split.kind == SplitKind::kDegenerate) {
    transform.scale = {Length(m.linear.x), Length(m.linear.y), Length(m.linear.z)};
    return transform;
  }
  transform.rotation = split.rotation;
  transform.scale = {split.residual.x.x, split.residual.y.y, split.residual.z.z};
  return transform;
}

double LargestDifference(const Mat3d& a, const Mat3d& b) {
  double largest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    largest = std::max(
        {largest, std::abs(a.x[i] - b.x[i]), std::abs(a.y[i] - b.y[i]), std::abs(a.z[i] - b.z[i])});
  }
  return largest;
}

Result<asset::Node> ConvertNode(const RawNode& raw, const std::string& place,
                                Diagnostics& diagnostics) {
  asset::Node node;
  node.name = raw.name;
  node.parent = raw.parent;
  if (raw.matrix) {
    double numbers[16];
    std::copy(raw.matrix->begin(), raw.matrix->end(), numbers);
    FLEXOR_ASSIGN(const Mat34d matrix, AffineMatrix(numbers, place + "/matrix", "the matrix"));
    node.rest_matrix = matrix;
    node.rest = NearestTransform(matrix);
    const Mat3d& linear = matrix.linear;
    const double size = std::max({Length(linear.x), Length(linear.y), Length(linear.z)});
    if (LargestDifference(ToMat34(node.rest).linear, linear) > 1e-4 * size) {
      Report(diagnostics, "NODE_MATRIX_NON_TRS", place + "/matrix",
             "the matrix is sheared or singular: no translation, rotation and scale give it; it is "
             "kept as it is while nothing animates the node");
    }
    return node;
  }
  node.rest.translation = {raw.translation[0], raw.translation[1], raw.translation[2]};
  node.rest.scale = {raw.scale[0], raw.scale[1], raw.scale[2]};
  const Quatd rotation{raw.rotation[0], raw.rotation[1], raw.rotation[2], raw.rotation[3]};
  const double length = std::sqrt(Dot(rotation, rotation));
  if (std::abs(length - 1) > 5e-4) {
    Report(diagnostics, "ROTATION_NON_UNIT", place + "/rotation",
           "the quaternion has length " + std::to_string(length) +
               "; it was made unit (zero becomes no rotation)");
  }
  node.rest.rotation = Normalized(rotation);
  return node;
}

/// Which nodes the default scene shows: below its roots, unless KHR_node_visibility hides them or a
/// node above.
std::vector<bool> VisibleNodes(const RawDocument& document) {
  const std::size_t count = document.nodes.size();
  const std::int32_t scene = document.DefaultScene();
  std::vector<bool> is_root(count, scene == kNone);
  if (scene != kNone) {
    for (const std::uint32_t node : document.scenes[static_cast<std::size_t>(scene)].nodes) {
      is_root[node] = true;
    }
  }
  // Nodes come in any order: walk up until a node that is decided, then back down.
  enum class State : std::uint8_t { kOpen, kShown, kHidden, kOutside };
  std::vector<State> states(count, State::kOpen);
  std::vector<std::uint32_t> path;
  for (std::size_t start = 0; start < count; ++start) {
    path.clear();
    auto at = static_cast<std::int32_t>(start);
    while (at != kNone && states[static_cast<std::size_t>(at)] == State::kOpen) {
      path.push_back(static_cast<std::uint32_t>(at));
      at = document.nodes[static_cast<std::size_t>(at)].parent;
    }
    State above = at == kNone ? State::kOutside : states[static_cast<std::size_t>(at)];
    for (auto node = path.rbegin(); node != path.rend(); ++node) {
      if (above == State::kOutside && is_root[*node]) above = State::kShown;
      if (above == State::kShown && !document.nodes[*node].visible) above = State::kHidden;
      states[*node] = above;
    }
  }
  std::vector<bool> visible(count);
  for (std::size_t i = 0; i < count; ++i) visible[i] = states[i] == State::kShown;
  return visible;
}

/// Names that differ, in order: "arm", "arm_2", "arm_3".
class UniqueNames {
 public:
  std::string Make(const std::string& wanted) {
    std::string name = wanted;
    std::uint32_t& number = next_[wanted];
    if (number == 0) number = 1;
    while (!used_.insert(name).second) name = wanted + "_" + std::to_string(++number);
    return name;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> next_;
  std::unordered_set<std::string> used_;
};

/// Converts one document; holds what the steps share.
class Converter {
 public:
  Converter(const RawDocument& document, BufferStore& store, MemoryBudget& budget,
            Diagnostics& diagnostics)
      : document_(document),
        store_(store),
        accessors_(document, store, budget, diagnostics),
        budget_(budget),
        diagnostics_(diagnostics) {}

  Status Nodes();
  Status Skins();
  Status Meshes();
  Status Instances();
  Status Clips();

  asset::Character character;

 private:
  /// The smallest joint count among the skins that deform each mesh; 0: none.
  std::vector<std::uint32_t> SmallestSkins() const;
  Status CheckMeshJoints() const;

  const RawDocument& document_;
  BufferStore& store_;
  AccessorReader accessors_;
  MemoryBudget& budget_;
  Diagnostics& diagnostics_;
  std::vector<ConvertedMesh> meshes_;
  std::vector<std::int32_t> instance_of_node_;
};

Status Converter::Nodes() {
  const std::size_t count = document_.nodes.size();
  FLEXOR_TRY(budget_.Charge(count, sizeof(asset::Node) + 16, "nodes"));
  character.nodes.reserve(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    FLEXOR_ASSIGN(asset::Node node,
                  ConvertNode(document_.nodes[i], "/nodes/" + std::to_string(i), diagnostics_));
    character.nodes.push_back(std::move(node));
  }
  return {};
}

Status Converter::Skins() {
  std::vector<bool> used(document_.skins.size());
  for (const RawNode& node : document_.nodes) {
    if (node.mesh != kNone && node.skin != kNone) used[static_cast<std::size_t>(node.skin)] = true;
  }
  for (std::uint32_t s = 0; s < document_.skins.size(); ++s) {
    FLEXOR_ASSIGN(asset::Skin skin, ConvertSkin(document_, s, accessors_, budget_, diagnostics_));
    character.skins.push_back(std::move(skin));
    if (used[s]) continue;
    Report(diagnostics_, "UNUSED_OBJECT", "/skins/" + std::to_string(s),
           "no node with a mesh uses this skin; it is kept");
  }
  return {};
}

std::vector<std::uint32_t> Converter::SmallestSkins() const {
  std::vector<std::uint32_t> smallest(document_.meshes.size(), 0);
  for (const RawNode& node : document_.nodes) {
    if (node.mesh == kNone || node.skin == kNone) continue;
    std::uint32_t& least = smallest[static_cast<std::size_t>(node.mesh)];
    const auto joints = static_cast<std::uint32_t>(
        document_.skins[static_cast<std::size_t>(node.skin)].joints.size());
    least = least == 0 ? joints : std::min(least, joints);
  }
  return smallest;
}

Status Converter::CheckMeshJoints() const {
  std::unordered_set<std::uint64_t> done;
  for (const RawNode& node : document_.nodes) {
    if (node.mesh == kNone || node.skin == kNone) continue;
    const auto mesh = static_cast<std::uint32_t>(node.mesh);
    const auto skin = static_cast<std::uint32_t>(node.skin);
    if (!done.insert(std::uint64_t{mesh} << 32 | skin).second) continue;
    FLEXOR_TRY(CheckJoints(meshes_[mesh], mesh, document_.skins[skin].joints.size(),
                           "skin " + std::to_string(skin)));
  }
  return {};
}

Status Converter::Meshes() {
  const std::vector<std::uint32_t> smallest = SmallestSkins();
  const MeshContext context{document_, store_, accessors_, budget_, diagnostics_};
  FLEXOR_TRY(budget_.Charge(document_.meshes.size(), 2 * sizeof(asset::Mesh), "meshes"));
  for (std::uint32_t m = 0; m < document_.meshes.size(); ++m) {
    auto mesh = ConvertMesh(context, m, smallest[m]);
    if (!mesh.ok()) return AtPointer(std::move(mesh).error(), "/meshes/" + std::to_string(m));
    meshes_.push_back(std::move(*mesh));
  }
  FLEXOR_TRY(CheckMeshJoints());
  for (ConvertedMesh& mesh : meshes_) character.meshes.push_back(std::move(mesh.mesh));
  return {};
}

Status Converter::Instances() {
  const std::vector<bool> visible = VisibleNodes(document_);
  std::vector<bool> mesh_used(document_.meshes.size());
  instance_of_node_.assign(document_.nodes.size(), kNone);
  UniqueNames names;
  for (std::size_t i = 0; i < document_.nodes.size(); ++i) {
    const RawNode& node = document_.nodes[i];
    if (node.mesh == kNone) continue;
    const auto mesh_index = static_cast<std::uint32_t>(node.mesh);
    const asset::Mesh& mesh = character.meshes[mesh_index];
    const std::string place = "/nodes/" + std::to_string(i);
    mesh_used[mesh_index] = true;
    asset::MeshInstance instance;
    instance.name = names.Make(!node.name.empty()   ? std::string(node.name)
                               : !mesh.name.empty() ? mesh.name
                                                    : "mesh_" + std::to_string(mesh_index));
    instance.mesh = mesh_index;
    instance.node = static_cast<std::int32_t>(i);
    instance.visible = visible[i];
    const bool bound = !mesh.influences.empty();
    if (node.skin != kNone && bound) {
      instance.skin = node.skin;
    } else if (node.skin != kNone) {
      Report(diagnostics_, "NODE_SKIN_WITH_NON_SKINNED_MESH", place,
             "the node has a skin, but its mesh has no JOINTS_0; the mesh rides on the node");
    } else if (bound) {
      Report(diagnostics_, "NODE_SKINNED_MESH_WITHOUT_SKIN", place,
             "the mesh has joints and weights, but its node names no skin; the mesh rides on the "
             "node");
    }
    FLEXOR_TRY(budget_.Charge(
        1, 2 * sizeof(asset::MeshInstance) + mesh.morphs.size() * sizeof(float), "mesh instances"));
    instance.morph_weights = mesh.morph_weights;
    if (node.weights) {
      if (node.weights->size() != mesh.morphs.size()) {
        Report(diagnostics_, "NODE_WEIGHTS_INVALID", place + "/weights",
               std::to_string(node.weights->size()) + " weights for " +
                   std::to_string(mesh.morphs.size()) + " morph targets; missing ones count as 0");
      }
      for (std::size_t m = 0; m < mesh.morphs.size(); ++m) {
        instance.morph_weights[m] =
            m < node.weights->size() ? static_cast<float>((*node.weights)[m]) : 0.0f;
      }
    }
    instance_of_node_[i] = static_cast<std::int32_t>(character.instances.size());
    character.instances.push_back(std::move(instance));
  }
  for (std::size_t m = 0; m < mesh_used.size(); ++m) {
    if (mesh_used[m]) continue;
    Report(diagnostics_, "UNUSED_OBJECT", "/meshes/" + std::to_string(m),
           "no node carries this mesh; it is kept");
  }
  return {};
}

Status Converter::Clips() {
  for (std::uint32_t a = 0; a < document_.animations.size(); ++a) {
    auto clip = ConvertAnimation(document_, a, character, instance_of_node_, accessors_, budget_,
                                 diagnostics_);
    if (!clip.ok()) return AtPointer(std::move(clip).error(), "/animations/" + std::to_string(a));
    character.clips.push_back(std::move(*clip));
  }
  return {};
}

}  // namespace

Result<asset::Character> Convert(const RawDocument& document, BufferStore& store, bool load_images,
                                 MemoryBudget& budget, Diagnostics& diagnostics) {
  Converter converter(document, store, budget, diagnostics);
  FLEXOR_TRY(converter.Nodes());
  FLEXOR_TRY(converter.Skins());
  FLEXOR_TRY(converter.Meshes());
  FLEXOR_TRY(converter.Instances());
  FLEXOR_TRY(converter.Clips());
  asset::Character character = std::move(converter.character);
  FLEXOR_TRY(ConvertMaterials(document, store, load_images, budget, diagnostics, character));
  character.source.generator = document.generator;
  character.source.extensions = document.extensions_used;
  character.source.title = document.about.title;
  character.source.author = document.about.author;
  character.source.license = document.about.license;
  ApplyVrm(document.vrm, character, diagnostics);
  FLEXOR_TRY(asset::Finalize(character));
  return character;
}

}  // namespace flexor::io::gltf
