#include "flexor/bake/to_pmx.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "flexor/asset/image_type.h"
#include "flexor/math/srgb.h"
#include "flexor/pose/palette.h"
#include "flexor/pose/poser.h"

#include "bake/mmd_layout.h"
#include "bake/notes.h"
#include "bake/one_method.h"
#include "io/mmd/space.h"

namespace flexor::bake {
namespace {

using io::mmd::kNoIndex;
using io::mmd::PmxBone;
using io::mmd::PmxMaterial;
using io::mmd::PmxModel;
using io::mmd::PmxMorph;
using io::mmd::PmxVertex;
using io::mmd::PmxWeightType;

const char* ExtensionOf(std::string_view image_type) {
  if (image_type == "image/jpeg") return ".jpg";
  if (image_type == "image/bmp") return ".bmp";
  if (image_type == "image/x-tga") return ".tga";
  return ".png";
}

/// The angles of Ry * Rx * Rz, in the file's axes.
Vec3f BodyAngles(Quatd house) {
  const Mat3d m = ToMat3(io::mmd::Space::Rotation(house));
  // Columns x, y, z: row 1 is (cos x sin z, cos x cos z, -sin x).
  const double sine = std::clamp(-m.z.y, -1.0, 1.0);
  Vec3d angles{std::asin(sine), 0, 0};
  if (std::abs(sine) < 1 - 1e-12) {
    angles.y = std::atan2(m.z.x, m.z.z);
    angles.z = std::atan2(m.x.y, m.y.y);
  } else {
    // Looking straight up or down, y and z turn about one axis: all of it goes to y.
    angles.y = std::atan2(-m.x.z, m.x.x);
  }
  return Cast<float>(angles);
}

/// Builds the model part by part.
class Exporter {
 public:
  Exporter(const asset::Character& character, const asset::PosedCharacter& stored,
           std::span<const deform::DeformedMesh> shapes, double metres_per_unit, Diagnostics& notes)
      : character_(character),
        stored_(stored),
        shapes_(shapes),
        names_(NamesForMmd(character)),
        space_(1 / metres_per_unit),
        notes_(notes) {}

  PmxExport Run() {
    PmxModel& model = out_.model;
    model.name = character_.name;
    model.comment = character_.source.author.empty()
                        ? character_.source.title
                        : character_.source.title + "\n" + character_.source.author;
    Bones();
    Textures();
    for (const deform::DeformedMesh& shape : shapes_) Instance(shape);
    Morphs();
    if (character_.mmd) Physics();
    Frames();
    if (limited_ != 0) {
      Note(notes_, "PMX_INFLUENCES_LIMITED",
           std::to_string(limited_) + " vertices kept the strongest 4 of their influences",
           limited_);
    }
    return std::move(out_);
  }

 private:
  void Bones();
  void RigBone(std::size_t index, PmxBone& bone);
  void Textures();
  void Instance(const deform::DeformedMesh& shape);
  void Weights(const asset::MeshInstance& instance, std::size_t v,
               const asset::Influences& repaired, PmxVertex& vertex);
  void Spherical(const asset::MeshInstance& instance, const asset::Mesh& mesh, std::size_t first);
  void Morphs();
  void AddOffsets(std::uint32_t instance, const asset::Morph& morph, PmxMorph& out) const;
  void Physics();
  void Frames();

  const asset::Character& character_;
  const asset::PosedCharacter& stored_;  // the pose that the model is in
  std::span<const deform::DeformedMesh> shapes_;
  MmdNames names_;
  io::mmd::Space space_;  // house to file: mirroring is its own inverse
  Diagnostics& notes_;
  PmxExport out_;
  std::vector<std::int32_t> texture_of_image_;
  /// Where the vertices of each drawn instance begin.
  std::map<std::uint32_t, std::size_t> first_vertex_;
  std::size_t limited_ = 0;
};

void Exporter::Bones() {
  std::size_t scaled = 0;
  for (std::size_t n = 0; n < character_.nodes.size(); ++n) {
    const asset::Node& node = character_.nodes[n];
    PmxBone bone;
    bone.name = names_.bones[n];
    if (bone.name != node.name) bone.name_en = node.name;
    const Vec3d scale = node.rest.scale;
    scaled += std::abs(scale.x - 1) + std::abs(scale.y - 1) + std::abs(scale.z - 1) > 1e-6;
    bone.parent = node.parent;
    bone.position = space_.PointF(stored_.model_from_node[n].translation);
    bone.flags = io::mmd::kBoneRotatable | io::mmd::kBoneMovable | io::mmd::kBoneVisible |
                 io::mmd::kBoneOperable;
    if (character_.mmd) {
      const std::size_t first = character_.mmd->first_node;
      if (n >= first && n - first < character_.mmd->bones.size()) RigBone(n - first, bone);
    }
    out_.model.bones.push_back(std::move(bone));
  }
  if (!character_.mmd) {
    // Bones of one layer are evaluated in their order: one that stands before its parent comes a
    // layer later.
    for (const std::uint32_t n : character_.node_order) {
      const std::int32_t parent = character_.nodes[n].parent;
      if (parent == asset::kNone) continue;
      const auto up = static_cast<std::size_t>(parent);
      out_.model.bones[n].layer = out_.model.bones[up].layer + (n < up ? 1 : 0);
    }
  }
  if (names_.made != 0) {
    Note(
        notes_, "PMX_NAME_MADE",
        std::to_string(names_.made) +
            " bones or morphs got a name of their own, as theirs is empty, not in CP932, or one of "
            "several with the same first 15 bytes; their English name is what they were called",
        names_.made);
  }
  if (scaled != 0) {
    Note(notes_, "PMX_SCALE_LEFT_OUT",
         std::to_string(scaled) + " nodes are scaled at rest: it is in the vertices now", scaled);
  }
  if (out_.model.bones.empty()) {
    // A vertex needs a bone.
    PmxBone bone;
    bone.name = "センター";
    bone.flags = io::mmd::kBoneRotatable | io::mmd::kBoneMovable | io::mmd::kBoneVisible |
                 io::mmd::kBoneOperable;
    out_.model.bones.push_back(std::move(bone));
  }
}

void Exporter::RigBone(std::size_t index, PmxBone& bone) {
  const asset::MmdRig& rig = *character_.mmd;
  const asset::MmdBone& from = rig.bones[index];
  const auto node_of = [&rig](std::uint32_t b) {
    return static_cast<std::int32_t>(rig.first_node + b);
  };
  const auto set = [&bone](std::uint16_t flag) {
    bone.flags = static_cast<std::uint16_t>(bone.flags | flag);
  };
  bone.layer = from.layer;
  if (from.after_physics) set(io::mmd::kBoneAfterPhysics);
  if (from.append) {
    if (from.append->rotation) set(io::mmd::kBoneAppendRotation);
    if (from.append->translation) set(io::mmd::kBoneAppendTranslation);
    if (from.append->local) set(io::mmd::kBoneAppendLocal);
    bone.append_source = node_of(from.append->source);
    bone.append_ratio = static_cast<float>(from.append->ratio);
  }
  if (from.fixed_axis) {
    set(io::mmd::kBoneFixedAxis);
    bone.fixed_axis = io::mmd::Space::Direction(Cast<float>(*from.fixed_axis));
  }
  if (from.external_parent) {
    set(io::mmd::kBoneExternalParent);
    bone.external_key = *from.external_parent;
  }
  if (from.ik == asset::kNone) return;
  const asset::MmdIk& ik = rig.ik[static_cast<std::size_t>(from.ik)];
  set(io::mmd::kBoneIk);
  bone.ik.effector = node_of(ik.effector);
  bone.ik.iterations = static_cast<std::int32_t>(ik.iterations);
  bone.ik.limit_angle = static_cast<float>(ik.step_limit);
  for (const asset::MmdIkLink& link : ik.links) {
    io::mmd::PmxIkLink to;
    to.bone = node_of(link.bone);
    to.has_limit = link.limited;
    if (link.limited) {
      // Mirroring turns x and y round: the house maximum is the file's minimum.
      to.min = Cast<float>(Vec3d{-link.max.x, -link.max.y, link.min.z});
      to.max = Cast<float>(Vec3d{-link.min.x, -link.min.y, link.max.z});
    }
    bone.ik.links.push_back(to);
  }
}

void Exporter::Textures() {
  texture_of_image_.assign(character_.images.size(), kNoIndex);
  for (std::size_t i = 0; i < character_.images.size(); ++i) {
    const asset::Image& image = character_.images[i];
    const bool used = std::any_of(
        character_.materials.begin(), character_.materials.end(),
        [i](const asset::Material& m) { return m.base_image == static_cast<std::int32_t>(i); });
    if (image.bytes.empty() || !used) continue;
    std::string name = "texture" + std::to_string(i) + ExtensionOf(asset::ImageType(image.bytes));
    texture_of_image_[i] = static_cast<std::int32_t>(out_.model.textures.size());
    out_.model.textures.push_back(name);
    out_.textures.push_back({std::move(name), image.bytes});
  }
}

void Exporter::Weights(const asset::MeshInstance& instance, std::size_t v,
                       const asset::Influences& repaired, PmxVertex& vertex) {
  vertex.bones.fill(kNoIndex);
  vertex.weights.fill(0);
  if (instance.skin == asset::kNone) {
    vertex.bones[0] = instance.node == asset::kNone ? 0 : instance.node;
    vertex.weights[0] = 1;
    vertex.type = PmxWeightType::kBdef1;
    return;
  }
  const asset::Skin& skin = character_.skins[static_cast<std::size_t>(instance.skin)];
  const std::uint32_t begin = repaired.offsets[v];
  const std::uint32_t count = repaired.offsets[v + 1] - begin;
  for (std::uint32_t k = 0; k < count; ++k) {
    vertex.bones[k] = static_cast<std::int32_t>(skin.joints[repaired.joints[begin + k]]);
    vertex.weights[k] = repaired.weights[begin + k];
  }
  if (count <= 1) {
    if (count == 0) vertex.bones[0] = 0;
    vertex.weights[0] = 1;
    vertex.type = PmxWeightType::kBdef1;
  } else if (count == 2) {
    vertex.weights[1] = 1 - vertex.weights[0];
    vertex.type = PmxWeightType::kBdef2;
  } else {
    vertex.type = PmxWeightType::kBdef4;
    // An unused slot names a bone with weight 0, as editors write it.
    for (std::uint32_t k = count; k < 4; ++k) vertex.bones[k] = 0;
  }
  const asset::Mesh& mesh = character_.meshes[instance.mesh];
  if (!mesh.dqs_weights.empty() && mesh.dqs_weights[v] >= 0.5f && count > 0) {
    vertex.type = PmxWeightType::kQdef;
    for (std::uint32_t k = count; k < 4; ++k) vertex.bones[k] = 0;
    out_.model.version = io::mmd::PmxVersion::k21;
  }
}

void Exporter::Spherical(const asset::MeshInstance& instance, const asset::Mesh& mesh,
                         std::size_t first) {
  const asset::SdefVertices& sdef = mesh.sdef;
  if (sdef.empty() || instance.skin == asset::kNone) return;
  const asset::Skin& skin = character_.skins[static_cast<std::size_t>(instance.skin)];
  for (std::size_t i = 0; i < sdef.size(); ++i) {
    PmxVertex& vertex = out_.model.vertices[first + sdef.vertices[i]];
    vertex.type = PmxWeightType::kSdef;
    vertex.bones = {static_cast<std::int32_t>(skin.joints[sdef.joints[i][0]]),
                    static_cast<std::int32_t>(skin.joints[sdef.joints[i][1]]), kNoIndex, kNoIndex};
    vertex.weights = {sdef.weights[i], 1 - sdef.weights[i], 0, 0};
    vertex.c = space_.PointF(sdef.centers[i]);
    vertex.r0 = space_.PointF(sdef.r0[i]);
    vertex.r1 = space_.PointF(sdef.r1[i]);
  }
}

void Exporter::Instance(const deform::DeformedMesh& shape) {
  const asset::MeshInstance& instance = character_.instances[shape.instance];
  const asset::Mesh& mesh = character_.meshes[instance.mesh];
  PmxModel& model = out_.model;
  const std::size_t first = model.vertices.size();
  first_vertex_[shape.instance] = first;

  asset::WeightPolicy policy;
  policy.max_influences = 4;
  asset::WeightReport report;
  asset::Influences repaired;
  if (instance.skin != asset::kNone) {
    repaired = asset::RepairWeights(mesh.influences, policy, &report);
    limited_ += report.limited;
  }
  for (std::size_t v = 0; v < shape.positions.size(); ++v) {
    PmxVertex vertex;
    vertex.position = space_.PointF(shape.positions[v]);
    if (!shape.normals.empty()) vertex.normal = io::mmd::Space::Direction(shape.normals[v]);
    if (!mesh.texcoords.empty()) vertex.uv = mesh.texcoords[v];
    Weights(instance, v, repaired, vertex);
    model.vertices.push_back(vertex);
  }
  Spherical(instance, mesh, first);
  for (const asset::Subset& subset : mesh.subsets) {
    PmxMaterial material;
    material.flags = io::mmd::kMaterialGroundShadow | io::mmd::kMaterialCastsShadow |
                     io::mmd::kMaterialReceivesShadow;
    material.diffuse = {1, 1, 1, 1};
    if (subset.material != asset::kNone) {
      const asset::Material& from = character_.materials[static_cast<std::size_t>(subset.material)];
      material.name = from.name;
      // MikuMikuDance shows diffuse * 154 / 255 + ambient: all of the colour in the ambient part
      // shows as it is.
      material.ambient = {SrgbFromLinear(from.base_color.x), SrgbFromLinear(from.base_color.y),
                          SrgbFromLinear(from.base_color.z)};
      material.diffuse = {0, 0, 0, from.base_color.w};
      if (from.double_sided) {
        material.flags = static_cast<std::uint8_t>(material.flags | io::mmd::kMaterialDoubleSided);
      }
      if (from.base_image != asset::kNone) {
        material.texture = texture_of_image_[static_cast<std::size_t>(from.base_image)];
      }
    }
    if (material.name.empty()) material.name = "material " + std::to_string(model.materials.size());
    material.index_count = subset.index_count;
    for (std::uint32_t i = 0; i < subset.index_count; i += 3) {
      const std::uint32_t* t = mesh.triangles.data() + subset.first_index + i;
      for (const std::uint32_t corner : {t[0], t[2], t[1]}) {
        model.indices.push_back(static_cast<std::uint32_t>(first + corner));
      }
    }
    model.materials.push_back(std::move(material));
  }
}

/// The offsets of a morph where the model shows its mesh: they are in the mesh's own space, and
/// turn and scale with what carries each vertex.
void Exporter::AddOffsets(std::uint32_t instance, const asset::Morph& morph, PmxMorph& out) const {
  const asset::Mesh& mesh = character_.meshes[character_.instances[instance].mesh];
  const std::span<const Mat34d> palette = asset::PaletteOf(character_, stored_, instance);
  const bool skinned = character_.instances[instance].skin != asset::kNone;
  const std::size_t first = first_vertex_.at(instance);
  for (std::size_t i = 0; i < morph.positions.size(); ++i) {
    if (morph.positions[i] == Vec3f{}) continue;
    const std::size_t v = morph.vertices.empty() ? i : morph.vertices[i];
    const Vec3d offset = Cast<double>(morph.positions[i]);
    Vec3d turned{};
    if (skinned) {
      double sum = 0;
      for (std::uint32_t k = mesh.influences.offsets[v]; k < mesh.influences.offsets[v + 1]; ++k) {
        const auto weight = static_cast<double>(mesh.influences.weights[k]);
        turned += palette[mesh.influences.joints[k]].linear * offset * weight;
        sum += weight;
      }
      turned = sum > 0 ? turned / sum : palette[0].linear * offset;
    } else {
      turned = palette[0].linear * offset;
    }
    out.vertex.push_back({static_cast<std::uint32_t>(first + v), space_.PointF(turned)});
  }
}

void Exporter::Morphs() {
  constexpr std::uint8_t kOtherPanel = 4;
  if (!character_.mmd) {
    std::size_t with_normals = 0;
    for (const auto& [index, first] : first_vertex_) {
      const asset::Mesh& mesh = character_.meshes[character_.instances[index].mesh];
      for (std::size_t m = 0; m < mesh.morphs.size(); ++m) {
        with_normals += !mesh.morphs[m].normals.empty();
        PmxMorph out;
        out.name = names_.morphs[index][m];
        if (out.name != mesh.morphs[m].name) out.name_en = mesh.morphs[m].name;
        out.panel = kOtherPanel;
        out.type = io::mmd::PmxMorphType::kVertex;
        AddOffsets(index, mesh.morphs[m], out);
        out_.model.morphs.push_back(std::move(out));
      }
    }
    if (with_normals != 0) {
      Note(notes_, "PMX_MORPH_NORMALS_LEFT_OUT",
           "the normals of " + std::to_string(with_normals) + " morphs are left out", with_normals);
    }
    return;
  }
  const asset::MmdRig& rig = *character_.mmd;
  for (const asset::MmdMorph& morph : rig.morphs) {
    PmxMorph out;
    out.name = morph.name;
    out.panel = morph.panel;
    switch (morph.kind) {
      case asset::MmdMorphKind::kVertex:
        out.type = io::mmd::PmxMorphType::kVertex;
        for (const auto& [index, first] : first_vertex_) {
          for (const asset::Morph& shape :
               character_.meshes[character_.instances[index].mesh].morphs) {
            if (shape.name == morph.name) AddOffsets(index, shape, out);
          }
        }
        break;
      case asset::MmdMorphKind::kGroup:
        out.type = io::mmd::PmxMorphType::kGroup;
        break;
      case asset::MmdMorphKind::kFlip:
        out.type = io::mmd::PmxMorphType::kFlip;
        break;
      case asset::MmdMorphKind::kBone:
        out.type = io::mmd::PmxMorphType::kBone;
        break;
      case asset::MmdMorphKind::kTexcoord:
        out.type = io::mmd::PmxMorphType::kUv;
        break;
      case asset::MmdMorphKind::kMaterial:
        out.type = io::mmd::PmxMorphType::kMaterial;
        break;
      case asset::MmdMorphKind::kImpulse:
        out.type = io::mmd::PmxMorphType::kImpulse;
        break;
    }
    for (const asset::MmdMorph::Member& member : morph.members) {
      out.group.push_back(
          {static_cast<std::int32_t>(member.morph), static_cast<float>(member.rate)});
    }
    for (const asset::MmdMorph::Bone& bone : morph.bones) {
      out.bone.push_back({static_cast<std::int32_t>(rig.first_node + bone.bone),
                          space_.PointF(bone.translation),
                          Cast<float>(io::mmd::Space::Rotation(bone.rotation))});
    }
    for (const asset::MmdMorph::Impulse& impulse : morph.impulses) {
      const double square = space_.scale() * space_.scale();
      out.impulse.push_back({static_cast<std::int32_t>(impulse.body), impulse.local,
                             space_.PointF(impulse.velocity),
                             Cast<float>(io::mmd::Space::Angles(impulse.torque * square))});
    }
    out_.model.morphs.push_back(std::move(out));
  }
}

void Exporter::Physics() {
  const asset::MmdRig& rig = *character_.mmd;
  for (const asset::MmdBody& body : rig.bodies) {
    io::mmd::PmxRigidBody out;
    out.name = body.name;
    out.bone = body.bone == asset::kNone ? kNoIndex
                                         : static_cast<std::int32_t>(rig.first_node) + body.bone;
    out.group = body.group;
    out.collides_with = body.collides_with;
    out.shape = static_cast<io::mmd::PmxShape>(body.shape);
    out.size = Cast<float>(space_.Size(body.size));
    out.position = space_.PointF(body.position);
    out.rotation = BodyAngles(body.rotation);
    out.mass = static_cast<float>(body.mass);
    out.linear_damping = static_cast<float>(body.linear_damping);
    out.angular_damping = static_cast<float>(body.angular_damping);
    out.restitution = static_cast<float>(body.restitution);
    out.friction = static_cast<float>(body.friction);
    out.mode = static_cast<io::mmd::PmxBodyMode>(body.mode);
    out_.model.bodies.push_back(std::move(out));
  }
  for (const asset::MmdJoint& joint : rig.joints) {
    io::mmd::PmxJoint out;
    out.name = joint.name;
    out.type = static_cast<io::mmd::PmxJointType>(joint.kind);
    out.body_a = static_cast<std::int32_t>(joint.body_a);
    out.body_b = static_cast<std::int32_t>(joint.body_b);
    out.position = space_.PointF(joint.position);
    out.rotation = BodyAngles(joint.rotation);
    const Vec3d low = joint.translation_min * space_.scale();
    const Vec3d high = joint.translation_max * space_.scale();
    out.translation_min = Cast<float>(Vec3d{low.x, low.y, -high.z});
    out.translation_max = Cast<float>(Vec3d{high.x, high.y, -low.z});
    out.rotation_min =
        Cast<float>(Vec3d{-joint.rotation_max.x, -joint.rotation_max.y, joint.rotation_min.z});
    out.rotation_max =
        Cast<float>(Vec3d{-joint.rotation_min.x, -joint.rotation_min.y, joint.rotation_max.z});
    out.spring_translation = Cast<float>(joint.spring_translation);
    out.spring_rotation = Cast<float>(joint.spring_rotation * (space_.scale() * space_.scale()));
    out_.model.joints.push_back(std::move(out));
  }
}

/// The two frames that every editor expects, and one with all other bones.
void Exporter::Frames() {
  io::mmd::PmxDisplayFrame root, faces, rest;
  root.name = root.name_en = "Root";
  root.special = true;
  root.entries.push_back({false, 0});
  faces.name = "表情";
  faces.name_en = "Exp";
  faces.special = true;
  for (std::size_t m = 0; m < out_.model.morphs.size(); ++m) {
    faces.entries.push_back({true, static_cast<std::int32_t>(m)});
  }
  rest.name = "ボーン";
  rest.name_en = "Bones";
  for (std::size_t b = 1; b < out_.model.bones.size(); ++b) {
    rest.entries.push_back({false, static_cast<std::int32_t>(b)});
  }
  out_.model.frames = {std::move(root), std::move(faces), std::move(rest)};
}

}  // namespace

Result<PmxExport> ToPmx(const asset::Character& character, double metres_per_unit,
                        Diagnostics& notes) {
  FLEXOR_ASSIGN(pose::Poser poser, pose::Poser::Create(character, {}));
  asset::PosedCharacter posed;
  FLEXOR_TRY(poser.Evaluate(std::nullopt, 0, nullptr, posed));
  const std::vector<Mat34d> stored = StoredPose(character, posed.model_from_node);
  std::size_t moved = 0;
  for (std::size_t n = 0; n < stored.size(); ++n) moved += stored[n] != posed.model_from_node[n];
  if (moved != 0) {
    Note(
        notes, "PMX_BIND_POSE",
        std::to_string(moved) +
            " bones are not at rest as they were bound: the model stands as bound, and its motions "
            "begin with the rest pose",
        moved);
    posed.model_from_node = stored;
    for (std::size_t s = 0; s < character.skins.size(); ++s) {
      pose::ComputePalette(character.skins[s], posed.model_from_node, posed.palettes[s]);
    }
  }
  deform::DeformerSettings settings;
  settings.backend = deform::BackendKind::kReference;
  settings.tangents = false;
  FLEXOR_ASSIGN(OneMethod method, OneMethod::Create(character, settings));
  FLEXOR_TRY(method.Deform(posed));
  return Exporter(character, posed, method.meshes(), metres_per_unit, notes).Run();
}

}  // namespace flexor::bake
