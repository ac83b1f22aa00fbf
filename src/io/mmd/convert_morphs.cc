#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "flexor/io/mmd/text_cp932.h"

#include "io/mmd/convert.h"
#include "io/rules.h"

namespace flexor::io::mmd {
namespace {

/// A sparse morph: sorted by vertex, entries of one vertex summed.
asset::Morph ConvertVertexMorph(const PmxMorph& morph, const Space& space) {
  std::vector<PmxVertexEntry> entries = morph.vertex;
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.vertex < b.vertex; });
  asset::Morph out;
  out.name = morph.name;
  for (const PmxVertexEntry& entry : entries) {
    const Vec3f offset = space.PointF(entry.offset);
    if (!out.vertices.empty() && out.vertices.back() == entry.vertex) {
      out.positions.back() += offset;
    } else {
      out.vertices.push_back(entry.vertex);
      out.positions.push_back(offset);
    }
  }
  return out;
}

asset::MmdMorphKind KindOf(PmxMorphType type) {
  using K = asset::MmdMorphKind;
  switch (type) {
    case PmxMorphType::kGroup:
      return K::kGroup;
    case PmxMorphType::kVertex:
      return K::kVertex;
    case PmxMorphType::kBone:
      return K::kBone;
    case PmxMorphType::kMaterial:
      return K::kMaterial;
    case PmxMorphType::kFlip:
      return K::kFlip;
    case PmxMorphType::kImpulse:
      return K::kImpulse;
    case PmxMorphType::kUv:
    case PmxMorphType::kUv1:
    case PmxMorphType::kUv2:
    case PmxMorphType::kUv3:
    case PmxMorphType::kUv4:
      break;
  }
  return K::kTexcoord;
}

}  // namespace

void ConvertMorphs(const PmxModel& model, const Space& space, asset::Character& character,
                   Diagnostics& diagnostics) {
  asset::MmdRig& rig = *character.mmd;
  asset::Mesh* const mesh = character.meshes.empty() ? nullptr : &character.meshes[0];
  const bool has_bytes = model.pmd_names.morphs.size() == model.morphs.size();
  Tally looks;
  rig.morphs.reserve(model.morphs.size());
  for (std::size_t m = 0; m < model.morphs.size(); ++m) {
    const PmxMorph& morph = model.morphs[m];
    asset::MmdMorph out;
    out.name = morph.name;
    out.match_name =
        has_bytes ? std::string(CutForMatch(model.pmd_names.morphs[m])) : MatchBytes(morph.name);
    out.kind = KindOf(morph.type);
    out.panel = morph.panel;
    if (out.kind == asset::MmdMorphKind::kVertex && mesh != nullptr) {
      // Without entries it is a sparse morph of no vertices, which the model spells as dense and
      // empty: both move nothing.
      out.mesh_morph = static_cast<std::int32_t>(mesh->morphs.size());
      mesh->morphs.push_back(ConvertVertexMorph(morph, space));
    }
    for (const PmxGroupEntry& entry : morph.group) {
      if (entry.morph == kNoIndex) continue;
      out.members.push_back({static_cast<std::uint32_t>(entry.morph), entry.rate});
    }
    for (const PmxBoneEntry& entry : morph.bone) {
      if (entry.bone == kNoIndex) continue;
      out.bones.push_back({static_cast<std::uint32_t>(entry.bone), space.Point(entry.translation),
                           Normalized(Space::Rotation(Cast<double>(entry.rotation)))});
    }
    for (const PmxImpulseEntry& entry : morph.impulse) {
      if (entry.body == kNoIndex) continue;
      const Vec3d torque =
          Space::Angles(Cast<double>(entry.torque)) * (space.scale() * space.scale());
      out.impulses.push_back({static_cast<std::uint32_t>(entry.body), entry.local,
                              space.Point(entry.velocity), torque});
    }
    if (out.kind == asset::MmdMorphKind::kMaterial || out.kind == asset::MmdMorphKind::kTexcoord) {
      looks.Add([&] {
        return "morph '" + morph.name + "' changes " +
               (out.kind == asset::MmdMorphKind::kMaterial ? "materials" : "texture coordinates") +
               ", which pictures do not follow";
      });
    }
    rig.morphs.push_back(std::move(out));
  }
  looks.ReportTo(diagnostics, "MMD_MORPH_LOOK_ONLY", "morphs");
}

}  // namespace flexor::io::mmd
