#include <nlohmann/json.hpp>

#include "flexor/bake/compare.h"

namespace flexor::bake {
namespace {

using Json = nlohmann::ordered_json;

Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json ShapeJson(const ShapeNumbers& numbers) {
  Json json;
  json["ring_radius_ratio_min"] = OrNull(numbers.ring_radius_ratio);
  if (numbers.ring_pairs) {
    json["ring_pair_ratio_min"] = numbers.ring_pairs->min;
    json["ring_pair_ratio_max"] = numbers.ring_pairs->max;
  } else {
    json["ring_pair_ratio_min"] = nullptr;
    json["ring_pair_ratio_max"] = nullptr;
  }
  json["edge_ratio_mean"] = numbers.edges.mean;
  json["edge_ratio_min"] = numbers.edges.min;
  json["edge_ratio_max"] = numbers.edges.max;
  json["area_ratio"] = OrNull(numbers.area_ratio);
  json["volume_ratio"] = OrNull(numbers.volume_ratio);
  json["non_rigid_joints"] = numbers.report.non_rigid_joints;
  json["degenerate_joints"] = numbers.report.degenerate_joints;
  json["flips"] = numbers.report.flips;
  json["singular_normal_matrices"] = numbers.report.singular_normal_matrices;
  json["joints_beyond_float"] = numbers.report.joints_beyond_float;
  return json;
}

Json PairJson(const Comparison& comparison, const PairNumbers& pair, bool in_all) {
  Json json;
  json["a"] = comparison.methods[pair.a];
  json["b"] = comparison.methods[pair.b];
  json["max_mm"] = pair.distance.max_mm;
  json["rms_mm"] = pair.distance.rms_mm;
  json["p99_mm"] = pair.distance.p99_mm;
  json["normals_max_deg"] = pair.distance.normals_max_deg;
  json["max_of_size"] = pair.distance.max_of_size;
  json["max_at"] = pair.worst_vertex;
  if (in_all) json["max_frame"] = pair.worst_frame;
  return json;
}

void PutNumbers(const Comparison& comparison, const FrameNumbers& numbers, bool in_all,
                Json& json) {
  Json methods = Json::object();
  for (std::size_t m = 0; m < comparison.methods.size(); ++m) {
    methods[comparison.methods[m]] = ShapeJson(numbers.shapes[m]);
  }
  json["methods"] = std::move(methods);
  Json pairs = Json::array();
  for (const PairNumbers& pair : numbers.pairs) {
    pairs.push_back(PairJson(comparison, pair, in_all));
  }
  json["pairs"] = std::move(pairs);
}

}  // namespace

std::string ComparisonJson(const Comparison& comparison) {
  Json json;
  json["character"] = comparison.character;
  json["file"] = comparison.file.empty() ? Json(nullptr) : Json(comparison.file);
  json["clip"] = comparison.clip ? Json(*comparison.clip) : Json(nullptr);
  json["vertices"] = comparison.vertices;
  json["triangles"] = comparison.triangles;
  json["edges"] = comparison.edges;
  json["joints"] = comparison.joints;
  json["size_m"] = comparison.size;
  json["backend"] = deform::BackendName(comparison.backend.kind);
  json["simd_target"] = comparison.backend.simd_target;
  if (comparison.ring_vertices > 0) {
    const Vec3d& axis = comparison.ring_axis;
    json["ring"] = {{"axis", {axis.x, axis.y, axis.z}},
                    {"along_m", comparison.ring_along},
                    {"vertices", comparison.ring_vertices}};
  } else {
    json["ring"] = nullptr;
  }
  PutNumbers(comparison, comparison.all, true, json);
  Json frames = Json::array();
  for (const FrameNumbers& numbers : comparison.frames) {
    Json frame;
    frame["frame"] = numbers.time.frame;
    frame["seconds"] = numbers.time.seconds;
    PutNumbers(comparison, numbers, false, frame);
    frames.push_back(std::move(frame));
  }
  json["frames"] = std::move(frames);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace flexor::bake
