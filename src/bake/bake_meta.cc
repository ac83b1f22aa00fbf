#include <nlohmann/json.hpp>

#include "flexor/core/version.h"
#include "flexor/deform/method_name.h"

#include "bake/bake_sink.h"
#include "bake/merged_shape.h"

namespace flexor::bake {

std::string BakeMetaJson(const asset::Character& character, const BakeSettings& settings,
                         const Performer& performer) {
  using Json = nlohmann::ordered_json;
  Json meta;
  meta["writer"] = WriterName();
  meta["character"] = character.name;
  meta["source"] = character.source.path;
  meta["source_format"] = character.source.format;
  meta["clip"] = settings.clip ? Json(character.clips[*settings.clip].name) : Json(nullptr);
  meta["clip_index"] = settings.clip ? Json(*settings.clip) : Json(nullptr);
  meta["method"] = deform::MethodName(settings.performer.deform.method);
  for (const deform::MaterialMethod& chosen : settings.performer.deform.material_methods) {
    Json entry;
    entry["material"] = chosen.material == asset::kNone ? Json(nullptr) : Json(chosen.material);
    if (chosen.material != asset::kNone) {
      entry["name"] = character.materials[static_cast<std::size_t>(chosen.material)].name;
    }
    entry["method"] = deform::MethodName(chosen.method);
    meta["material_methods"].push_back(std::move(entry));
  }
  meta["dqs_residual"] = deform::DqsResidualName(settings.performer.deform.dqs.residual);
  meta["sdef"] = deform::SdefModeName(settings.performer.deform.sdef.mode);
  meta["sdef_rotation"] = deform::SdefRotationName(settings.performer.deform.sdef.rotation);
  meta["backend"] = deform::BackendName(performer.backend().Info().kind);
  meta["simd_target"] = performer.backend().Info().simd_target;
  meta["space"] = "model";
  meta["up_axis"] = "+Y";
  meta["handedness"] = "right";
  meta["units"] = "metres";
  meta["metres_per_source_unit"] = character.source.metres_per_unit;
  meta["frames_per_second"] = settings.frames_per_second;
  meta["time_offset"] = settings.time_offset;
  Json frames = Json::array();
  for (const TimeSample& time : settings.times) frames.push_back(time.frame);
  meta["frames"] = std::move(frames);
  meta["point_order"] = settings.merge ? "source order of each mesh, meshes one after another"
                                       : "source order of each mesh";
  Json meshes = Json::array();
  const MergedShape shape(character, performer.results());
  for (std::size_t i = 0; i < shape.parts().size(); ++i) {
    const asset::MeshInstance& instance = character.instances[performer.results()[i].instance];
    Json entry;
    entry["name"] = instance.name;
    entry["mesh"] = character.meshes[instance.mesh].name;
    entry["points"] = shape.parts()[i].vertex_count;
    if (settings.merge) entry["first_point"] = shape.parts()[i].first_vertex;
    meshes.push_back(std::move(entry));
  }
  meta["meshes"] = std::move(meshes);
  // Names out of files need not be UTF-8; what is not is replaced rather than refused.
  return meta.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Replaced(std::string text, std::string_view placeholder, std::string_view value) {
  for (std::size_t at = text.find(placeholder); at != text.npos;
       at = text.find(placeholder, at + value.size())) {
    text.replace(at, placeholder.size(), value);
  }
  return text;
}

std::string FileNamePart(std::string_view name) {
  std::string part(name);
  for (char& c : part) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f ||
        std::string_view("/\\:*?\"<>|").find(c) != std::string_view::npos) {
      c = '_';
    }
  }
  if (part.empty() || part == "." || part == "..") part = "mesh";
  return part;
}

}  // namespace flexor::bake
