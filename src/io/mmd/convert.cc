#include "io/mmd/convert.h"

#include <utility>

namespace flexor::io::mmd {
namespace {

/// What the character will hold, counted before any of it is made.
Status ChargeCharacter(const PmxModel& model, MemoryBudget& budget) {
  // Positions, normals, texture coordinates and up to four influences; then what SDEF adds.
  constexpr std::uint64_t kVertexBytes = 2 * sizeof(Vec3f) + sizeof(Vec2f) + 4 + 4 * 8;
  constexpr std::uint64_t kSphericalBytes = 4 + 8 + 4 + 3 * sizeof(Vec3f);
  FLEXOR_TRY(budget.Charge(model.vertices.size(), kVertexBytes + kSphericalBytes, "vertices"));
  FLEXOR_TRY(budget.Charge(model.indices.size(), sizeof(std::uint32_t), "triangles"));
  constexpr std::uint64_t kBoneBytes =
      sizeof(asset::Node) + sizeof(asset::MmdBone) + sizeof(Mat34d) + 8;
  FLEXOR_TRY(budget.Charge(model.bones.size(), kBoneBytes, "bones"));
  std::uint64_t links = 0;
  for (const PmxBone& bone : model.bones) links += bone.ik.links.size() + 1;
  FLEXOR_TRY(budget.Charge(links, sizeof(asset::MmdIkLink), "IK links"));
  std::uint64_t entries = 0;
  for (const PmxMorph& morph : model.morphs) {
    entries += morph.vertex.size() + morph.group.size() + morph.bone.size() + morph.impulse.size();
  }
  FLEXOR_TRY(budget.Charge(entries, sizeof(asset::MmdMorph::Bone), "morph entries"));
  FLEXOR_TRY(
      budget.Charge(model.morphs.size(), sizeof(asset::MmdMorph) + sizeof(asset::Morph), "morphs"));
  FLEXOR_TRY(budget.Charge(model.bodies.size(), sizeof(asset::MmdBody), "rigid bodies"));
  return budget.Charge(model.joints.size(), sizeof(asset::MmdJoint), "joints");
}

}  // namespace

Result<asset::Character> Convert(const PmxModel& model, const ResourceFn& resources,
                                 const LoadOptions& options, MemoryBudget& budget,
                                 Diagnostics& diagnostics) {
  FLEXOR_TRY(ChargeCharacter(model, budget));
  const Space space(options.mmd_metres_per_unit);
  asset::Character character;
  character.name = model.name.empty() ? model.name_en : model.name;
  character.source.format = model.version == PmxVersion::k21 ? "PMX 2.1" : "PMX 2.0";
  character.source.title = character.name;
  character.source.metres_per_unit = space.scale();
  character.mmd.emplace();
  character.mmd->metres_per_unit = space.scale();
  ConvertBones(model, space, character, diagnostics);
  FLEXOR_TRY(ConvertMaterials(model, resources, options, budget, character, diagnostics));
  ConvertMesh(model, space, character, diagnostics);
  ConvertMorphs(model, space, character, diagnostics);
  ConvertPhysics(model, space, character, diagnostics);
  FLEXOR_TRY(asset::Finalize(character));
  return character;
}

}  // namespace flexor::io::mmd
