#include "cli/info_report.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "flexor/deform/method_name.h"

#include "cli/table.h"

namespace flexor::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string Joined(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    text += (i == 0 ? "" : ", ") + (names[i].empty() ? "(no name)" : names[i]);
  }
  if (names.size() > most) text += ", and " + std::to_string(names.size() - most) + " more";
  return text;
}

std::string Named(const std::string& name, std::string_view kind, std::size_t index) {
  return name.empty() ? "(" + std::string(kind) + " " + std::to_string(index) + ")" : name;
}

// "1: 120 · 2: 4,310 · 4: 96", vertices by number of influences.
std::string HistogramText(const std::vector<std::uint64_t>& histogram) {
  std::string text;
  for (std::size_t k = 0; k < histogram.size(); ++k) {
    if (histogram[k] == 0) continue;
    text += (text.empty() ? "" : " · ") + std::to_string(k) + ": " + Grouped(histogram[k]);
  }
  return text;
}

std::size_t DualQuaternionMeshes(const asset::Character& character) {
  return static_cast<std::size_t>(std::ranges::count(
      character.meshes, asset::SkinningMethod::kDualQuaternion, &asset::Mesh::skinning));
}

std::string SkinningText(const asset::Character& character) {
  const std::size_t dual = DualQuaternionMeshes(character);
  if (dual == 0) return "linear";
  std::string text = "dual quaternions, as the file asks";
  if (dual < character.meshes.size()) {
    text += " for " + Grouped(dual) + " of " + Grouped(character.meshes.size()) + " meshes";
  }
  return text;
}

std::string BoxText(const Aabbf& box) {
  if (box.empty()) return "nothing to see";
  const Vec3f size = box.Size();
  const auto m = [](float value) { return Decimal(double{value}, 3); };
  return m(size.x) + " x " + m(size.y) + " x " + m(size.z) + " m, from (" + m(box.min.x) + ", " +
         m(box.min.y) + ", " + m(box.min.z) + ") to (" + m(box.max.x) + ", " + m(box.max.y) + ", " +
         m(box.max.z) + ")";
}

class Report {
 public:
  Report(const Shell& shell, const io::Loaded& loaded, const bake::CharacterSummary& summary)
      : shell_(shell), loaded_(loaded), summary_(summary) {}

  std::string Build(const std::string& name, bool with_plan) {
    Head(name);
    Meshes();
    Rig();
    if (with_plan) Plans();
    Clips();
    Findings();
    return std::move(text_);
  }

 private:
  void Fact(const std::string& label, const std::string& value) {
    if (value.empty()) return;
    text_ += "  " + label + std::string(label.size() < 12 ? 12 - label.size() : 1, ' ') +
             Printable(value) + "\n";
  }
  void Section(std::string_view title) { text_ += "\n" + shell_.OutColor("1", title) + "\n"; }

  void Head(const std::string& name) {
    const asset::Character& character = loaded_.character;
    const asset::SourceInfo& source = character.source;
    text_ += shell_.OutColor("1", Printable(name)) + "\n";
    if (character.name != name) Fact("name", character.name);
    Fact("format", source.format);
    Fact("generator", source.generator);
    Fact("title", source.title);
    Fact("author", source.author);
    Fact("licence", source.license);
    Fact("extensions", Joined(source.extensions, 12));
    Fact("nodes", Grouped(summary_.nodes) + ", " + Grouped(summary_.joints) + " of them joints");
    const std::size_t drawn = static_cast<std::size_t>(
        std::count_if(summary_.instances.begin(), summary_.instances.end(),
                      [](const auto& instance) { return instance.visible; }));
    Fact("meshes", Grouped(drawn) + (drawn == summary_.instances.size()
                                         ? ""
                                         : ", and " + Grouped(summary_.instances.size() - drawn) +
                                               " outside the default scene"));
    Fact("vertices", Grouped(summary_.vertices));
    Fact("triangles", Grouped(summary_.triangles));
    Fact("materials",
         Grouped(summary_.materials.size()) +
             (summary_.materials.empty() ? "" : ": " + Joined(summary_.materials, 16)));
    Fact("images", Grouped(summary_.images));
    Fact("skinning", SkinningText(character));
    Fact("rest size", BoxText(summary_.rest_box));
    if (!summary_.unused_skins.empty()) {
      Fact("unused", "skins that no mesh uses: " + Joined(summary_.unused_skins, 8));
    }
  }

  void Meshes() {
    if (summary_.instances.empty()) return;
    Section("Meshes");
    Table table({"mesh", ">vertices", ">triangles", ">joints", "vertices by influences", ">morphs",
                 "has", ">rest off bind"});
    for (std::size_t i = 0; i < summary_.instances.size(); ++i) {
      const bake::InstanceSummary& one = summary_.instances[i];
      std::string has;
      for (const auto& [present, label] :
           {std::pair(one.normals, "normals"), {one.tangents, "tangents"}, {one.texcoords, "uv"}}) {
        if (present) has += (has.empty() ? "" : " ") + std::string(label);
      }
      table.Add({Named(one.name, "mesh", i) + (one.visible ? "" : " (hidden)"),
                 Grouped(one.vertices), Grouped(one.triangles),
                 one.skin ? Grouped(one.joints) : "no skin", HistogramText(one.influences),
                 one.morphs.empty() ? "" : Grouped(one.morphs.size()), has,
                 one.skin ? Decimal(one.rest_deviation_mm, 2) + " mm" : ""});
    }
    text_ += table.Text();
    for (const bake::InstanceSummary& one : summary_.instances) {
      if (one.dqs_vertices + one.sdef_vertices == 0) continue;
      const std::uint64_t linear = one.vertices - one.dqs_vertices - one.sdef_vertices;
      text_ += "  weight types of " + Printable(one.name) + ": " + Grouped(linear) + " linear, " +
               Grouped(one.sdef_vertices) + " spherical (SDEF), " + Grouped(one.dqs_vertices) +
               " dual quaternion (QDEF)\n";
    }
    for (const bake::InstanceSummary& one : summary_.instances) {
      if (one.morphs.empty()) continue;
      text_ += "  morphs of " + Printable(one.name + ": " + Joined(one.morphs, 16)) + "\n";
    }
  }

  void Rig() {
    if (!loaded_.character.mmd) return;
    const asset::MmdRig& rig = *loaded_.character.mmd;
    std::size_t appends = 0, axes = 0, late = 0;
    for (const asset::MmdBone& bone : rig.bones) {
      appends += bone.append.has_value();
      axes += bone.fixed_axis.has_value();
      late += bone.after_physics;
    }
    Section("Rig");
    Fact("bones", Grouped(rig.bones.size()) + ", " + Grouped(appends) + " with append, " +
                      Grouped(axes) + " with a fixed axis, " + Grouped(late) + " after physics");
    Fact("IK chains", Grouped(rig.ik.size()));
    Fact("morphs", Grouped(rig.morphs.size()));
    Fact("physics",
         Grouped(rig.bodies.size()) + " rigid bodies, " + Grouped(rig.joints.size()) + " joints");
  }

  void Plans() {
    Section("Plans");
    Table table({"mesh", ">blocks of 16", ">joints per block", ">at most", ">memory"});
    for (const bake::InstanceSummary& one : summary_.instances) {
      table.Add({one.name, Grouped(one.prepared.blocks),
                 Decimal(one.prepared.mean_joints_per_block, 2),
                 Grouped(one.prepared.worst_joints_per_block),
                 Decimal(static_cast<double>(one.plan_bytes) / 1e6, 2) + " MB"});
    }
    text_ += table.Text();
  }

  void Clips() {
    if (summary_.clips.empty()) return;
    Section("Clips");
    Table table(
        {">", "clip", ">frames", ">per second", ">seconds", ">nodes moved", ">morph curves"});
    for (std::size_t i = 0; i < summary_.clips.size(); ++i) {
      const bake::ClipSummary& clip = summary_.clips[i];
      table.Add({std::to_string(i), Named(clip.name, "clip", i), Grouped(clip.frames),
                 Decimal(clip.frames_per_second, 3), Decimal(clip.seconds, 3), Grouped(clip.nodes),
                 clip.morph_channels == 0 ? "" : Grouped(clip.morph_channels)});
    }
    text_ += table.Text();
  }

  void Findings() {
    const Diagnostics& found = loaded_.diagnostics;
    if (found.entries().empty()) return;
    Section("Findings");
    Table table({"severity", "code", ">times", "where", "what"});
    for (const Diagnostic& finding : found.entries()) {
      table.Add({std::string(SeverityName(finding.severity)), finding.code, Grouped(finding.count),
                 finding.where, finding.message});
    }
    text_ += table.Text();
  }

  const Shell& shell_;
  const io::Loaded& loaded_;
  const bake::CharacterSummary& summary_;
  std::string text_;
};

Json BoxJson(const Aabbf& box) {
  if (box.empty()) return nullptr;
  return {{"min", {box.min.x, box.min.y, box.min.z}}, {"max", {box.max.x, box.max.y, box.max.z}}};
}

Json InstanceJson(const bake::InstanceSummary& one) {
  Json json;
  json["name"] = one.name;
  json["mesh"] = one.mesh;
  json["skin"] = one.skin ? Json(*one.skin) : Json(nullptr);
  json["visible"] = one.visible;
  json["vertices"] = one.vertices;
  json["triangles"] = one.triangles;
  json["subsets"] = one.subsets;
  json["joints"] = one.joints;
  json["normals"] = one.normals;
  json["tangents"] = one.tangents;
  json["texcoords"] = one.texcoords;
  json["morphs"] = one.morphs;
  json["influences"] = one.influences;
  json["skinning"] = deform::MethodName(one.skinning);
  json["dqs_vertices"] = one.dqs_vertices;
  json["sdef_vertices"] = one.sdef_vertices;
  json["weights"] = {{"normalized", one.weights.normalized},
                     {"clamped", one.weights.clamped},
                     {"merged", one.weights.merged},
                     {"zero_sum", one.weights.zero_sum},
                     {"max_influences", one.weights.max_influences}};
  json["rest_deviation_mm"] = one.rest_deviation_mm;
  json["rest_box"] = BoxJson(one.rest_box);
  json["plan"] = {{"blocks", one.prepared.blocks},
                  {"mean_joints_per_block", one.prepared.mean_joints_per_block},
                  {"worst_joints_per_block", one.prepared.worst_joints_per_block},
                  {"bytes", one.plan_bytes}};
  return json;
}

}  // namespace

std::string InfoText(const Shell& shell, const std::string& name, const io::Loaded& loaded,
                     const bake::CharacterSummary& summary, bool with_plan) {
  return Report(shell, loaded, summary).Build(name, with_plan);
}

std::string InfoJson(const io::Loaded& loaded, const bake::CharacterSummary& summary) {
  const asset::Character& character = loaded.character;
  const asset::SourceInfo& source = character.source;
  Json json;
  json["file"] = source.path.empty() ? Json(nullptr) : Json(source.path);
  json["name"] = character.name;
  json["format"] = source.format;
  json["generator"] = source.generator;
  json["title"] = source.title;
  json["author"] = source.author;
  json["license"] = source.license;
  json["metres_per_unit"] = source.metres_per_unit;
  json["extensions"] = source.extensions;
  const std::size_t dual = DualQuaternionMeshes(character);
  json["skinning"] = dual == 0 ? "lbs" : dual == character.meshes.size() ? "dqs" : "mixed";
  json["nodes"] = summary.nodes;
  json["joints"] = summary.joints;
  json["vertices"] = summary.vertices;
  json["triangles"] = summary.triangles;
  json["materials"] = summary.materials.size();
  json["material_names"] = summary.materials;
  json["images"] = summary.images;
  json["rest_box"] = BoxJson(summary.rest_box);
  json["unused_skins"] = summary.unused_skins;
  Json meshes = Json::array();
  for (const bake::InstanceSummary& one : summary.instances) meshes.push_back(InstanceJson(one));
  json["meshes"] = std::move(meshes);
  Json clips = Json::array();
  for (const bake::ClipSummary& clip : summary.clips) {
    clips.push_back({{"name", clip.name},
                     {"frames", clip.frames},
                     {"frames_per_second", clip.frames_per_second},
                     {"seconds", clip.seconds},
                     {"channels", clip.channels},
                     {"nodes", clip.nodes},
                     {"morph_channels", clip.morph_channels}});
  }
  json["clips"] = std::move(clips);
  if (character.mmd) {
    json["mmd"] = {{"bones", character.mmd->bones.size()},
                   {"ik", character.mmd->ik.size()},
                   {"morphs", character.mmd->morphs.size()},
                   {"bodies", character.mmd->bodies.size()},
                   {"joints", character.mmd->joints.size()}};
  }
  Json findings = Json::array();
  for (const Diagnostic& finding : loaded.diagnostics.entries()) {
    findings.push_back({{"code", finding.code},
                        {"severity", SeverityName(finding.severity)},
                        {"where", finding.where},
                        {"message", finding.message},
                        {"count", finding.count}});
  }
  json["diagnostics"] = std::move(findings);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace flexor::cli
