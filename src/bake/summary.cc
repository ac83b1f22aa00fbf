#include "flexor/bake/summary.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "flexor/asset/frame_time.h"
#include "flexor/bake/performer.h"
#include "flexor/pose/palette.h"

namespace flexor::bake {
namespace {

std::vector<std::uint64_t> Histogram(const asset::Influences& influences) {
  std::vector<std::uint64_t> histogram;
  for (std::size_t v = 0; v < influences.vertex_count(); ++v) {
    const std::size_t count = influences.offsets[v + 1] - influences.offsets[v];
    if (histogram.size() <= count) histogram.resize(count + 1);
    ++histogram[count];
  }
  return histogram;
}

// How far the rest pose bends the mesh out of its bind shape.
double RestDeviationMm(const asset::Mesh& mesh, const pose::Palette& palette,
                       const asset::Influences& influences, std::span<const Vec3f> rest) {
  if (influences.joints.empty()) return 0;
  const Mat34d& whole = palette[influences.joints.front()];
  double largest = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    if (influences.offsets[v] == influences.offsets[v + 1]) continue;
    const Vec3d rigid = TransformPoint(whole, Cast<double>(mesh.positions[v]));
    largest = std::max(largest, Length(rigid - Cast<double>(rest[v])));
  }
  return largest * 1000;
}

Result<InstanceSummary> SummarizeInstance(const asset::Character& character,
                                          const Performer& performer, const deform::Backend& cpu,
                                          std::size_t index) {
  const deform::DeformedMesh& result = performer.results()[index];
  const asset::MeshInstance& instance = character.instances[result.instance];
  const asset::Mesh& mesh = character.meshes[instance.mesh];
  const deform::DeformPlan& plan = performer.plan(index);
  InstanceSummary summary;
  summary.name = instance.name;
  summary.mesh = mesh.name;
  summary.visible = instance.visible;
  summary.vertices = mesh.vertex_count();
  summary.triangles = mesh.triangles.size() / 3;
  summary.subsets = mesh.subsets.size();
  summary.joints = plan.joint_count();
  summary.normals = !mesh.normals.empty();
  summary.tangents = !mesh.tangents.empty();
  summary.texcoords = !mesh.texcoords.empty();
  for (const asset::Morph& morph : mesh.morphs) summary.morphs.push_back(morph.name);
  summary.weights = plan.weight_report();
  FLEXOR_ASSIGN(const auto prepared, cpu.Prepare(plan));
  summary.prepared = prepared->facts();
  summary.skinning = mesh.skinning;
  summary.plan_bytes = plan.bytes() + summary.prepared.bytes;
  summary.dqs_vertices = static_cast<std::uint64_t>(std::count_if(
      mesh.dqs_weights.begin(), mesh.dqs_weights.end(), [](float w) { return w > 0; }));
  summary.sdef_vertices = mesh.sdef.size();
  for (const Vec3f& p : result.positions) summary.rest_box.Add(p);
  if (instance.skin != asset::kNone) {
    summary.skin = character.skins[static_cast<std::size_t>(instance.skin)].name;
    summary.influences = Histogram(plan.influences());
    // Morphs at rest move points too; only without them is the difference the binding's.
    const bool morphed = std::any_of(instance.morph_weights.begin(), instance.morph_weights.end(),
                                     [](float w) { return w != 0; });
    if (!morphed) {
      pose::Palette palette;
      pose::ComputePalette(character, instance, performer.posed().model_from_node, palette);
      summary.rest_deviation_mm =
          RestDeviationMm(mesh, palette, plan.influences(), result.positions);
    }
  }
  return summary;
}

Result<ClipSummary> SummarizeClip(const asset::Clip& clip) {
  ClipSummary summary;
  summary.name = clip.name;
  summary.seconds = clip.end_time;
  summary.frames_per_second = clip.frames_per_second;
  summary.frames = asset::CountFrames(clip);
  summary.channels = clip.channels.size();
  std::set<std::uint32_t> nodes;
  for (const asset::Channel& channel : clip.channels) {
    if (asset::MovesNode(channel.path)) {
      nodes.insert(channel.target);
    } else if (channel.path != asset::ChannelPath::kMmdIkEnabled) {
      ++summary.morph_channels;
    }
  }
  summary.nodes = nodes.size();
  return summary;
}

}  // namespace

Result<CharacterSummary> Summarize(const asset::Character& character) {
  CharacterSummary summary;
  summary.nodes = character.nodes.size();
  summary.materials.reserve(character.materials.size());
  for (const asset::Material& material : character.materials) {
    summary.materials.push_back(material.name);
  }
  summary.images = character.images.size();
  std::set<std::uint32_t> joints;
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    const asset::Skin& skin = character.skins[s];
    joints.insert(skin.joints.begin(), skin.joints.end());
    const bool used =
        std::any_of(character.instances.begin(), character.instances.end(),
                    [&](const auto& instance) { return instance.skin == static_cast<int>(s); });
    if (!used) {
      summary.unused_skins.push_back(skin.name.empty() ? "skin " + std::to_string(s) : skin.name);
    }
  }
  summary.joints = joints.size();

  PerformerSettings settings;
  settings.deform.method = asset::SkinningMethod::kLinear;
  settings.all_instances = true;
  settings.tangents = false;
  settings.backend = deform::BackendKind::kReference;
  FLEXOR_ASSIGN(Performer performer, Performer::Create(character, settings));
  FLEXOR_TRY(performer.Evaluate(std::nullopt, 0));
  FLEXOR_ASSIGN(const auto cpu, deform::CreateBackend(deform::BackendKind::kCpu));
  for (std::size_t i = 0; i < performer.results().size(); ++i) {
    FLEXOR_ASSIGN(InstanceSummary instance, SummarizeInstance(character, performer, *cpu, i));
    summary.instances.push_back(std::move(instance));
    const InstanceSummary& added = summary.instances.back();
    if (!added.visible) continue;
    summary.vertices += added.vertices;
    summary.triangles += added.triangles;
    summary.rest_box.Add(added.rest_box);
  }
  for (const asset::Clip& clip : character.clips) {
    FLEXOR_ASSIGN(ClipSummary one, SummarizeClip(clip));
    summary.clips.push_back(std::move(one));
  }
  return summary;
}

}  // namespace flexor::bake
