// Blend shapes as morphs.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "io/rules.h"
#include "io/usd/attribute.h"
#include "io/usd/convert_parts.h"
#include "io/usd/numeric.h"

namespace flexor::io::usd {
namespace {

constexpr std::string_view kInbetween = "inbetweens:";
constexpr std::string_view kNormalOffsets = ":normalOffsets";

/// Offsets for the points of a shape, in the order that a morph needs.
class OffsetOrder {
 public:
  /// `indices` names the points of sparse offsets; null: there is one for each point.
  OffsetOrder(const asset::Mesh& mesh, const std::vector<std::int32_t>* indices)
      : mesh_(mesh), is_sparse_(indices != nullptr) {
    if (!is_sparse_) return;
    for (std::size_t i = 0; i < indices->size(); ++i) {
      entries_[static_cast<std::uint32_t>((*indices)[i])].push_back(i);
    }
    for (const auto& [point, entries] : entries_) vertices_.push_back(point);
    for (std::size_t r = 0; r < mesh.repeats.size(); ++r) {
      if (entries_.contains(mesh.repeats[r])) {
        vertices_.push_back(static_cast<std::uint32_t>(mesh.point_count() + r));
      }
    }
  }
  const std::vector<std::uint32_t>& vertices() const { return vertices_; }
  bool is_sparse() const { return is_sparse_; }

  /// One offset for each vertex of the morph: entries of one point add up.
  std::vector<Vec3f> Arrange(const std::vector<Vec3f>& offsets) const {
    std::vector<Vec3f> arranged;
    if (!is_sparse_) {
      arranged = offsets;
      for (const std::uint32_t point : mesh_.repeats) arranged.push_back(offsets[point]);
      return arranged;
    }
    for (const std::uint32_t vertex : vertices_) {
      const std::uint32_t point =
          vertex < mesh_.point_count() ? vertex : mesh_.repeats[vertex - mesh_.point_count()];
      Vec3f sum;
      for (const std::size_t entry : entries_.at(point)) sum += offsets[entry];
      arranged.push_back(sum);
    }
    return arranged;
  }

 private:
  const asset::Mesh& mesh_;
  bool is_sparse_;
  std::map<std::uint32_t, std::vector<std::size_t>> entries_;  // point -> items of the file
  std::vector<std::uint32_t> vertices_;
};

/// Reads the vectors of an attribute; nothing when there are none, or not `count` finite ones.
Result<std::optional<std::vector<Vec3f>>> Offsets(Conversion& conversion, const Property& property,
                                                  std::size_t count) {
  FLEXOR_ASSIGN(const Value value, DefaultValue(property, conversion.budget));
  auto offsets = AsVec3fs(value);
  if (!offsets) return std::optional<std::vector<Vec3f>>();
  const bool fits =
      offsets->size() == count &&
      std::all_of(offsets->begin(), offsets->end(), [](Vec3f offset) { return IsFinite(offset); });
  if (!fits) {
    Report(conversion.diagnostics, "USD_BLEND_SHAPE", property.path.ToString(),
           "it has " + std::to_string(offsets->size()) + " vectors where " + std::to_string(count) +
               " finite ones are needed; it is left out");
    return std::optional<std::vector<Vec3f>>();
  }
  return offsets;
}

Status ReadInBetweens(Conversion& conversion, const StagePrim& target, const OffsetOrder& order,
                      std::size_t count, bool with_normals, asset::Morph& morph) {
  const Stage& stage = conversion.stage;
  for (const Token name : stage.PropertyNames(target)) {
    const std::string_view text = name.text();
    if (text.substr(0, kInbetween.size()) != kInbetween) continue;
    if (text.size() > kNormalOffsets.size() &&
        text.substr(text.size() - kNormalOffsets.size()) == kNormalOffsets) {
      continue;
    }
    const Property property = stage.FindProperty(target, text);
    const Value* authored = property.Metadata("weight");
    const auto weight = authored ? AsNumber(*authored) : std::nullopt;
    if (!weight || !std::isfinite(*weight) || std::abs(*weight) < 1e-6 ||
        std::abs(*weight - 1) < 1e-6) {
      Report(conversion.diagnostics, "USD_BLEND_SHAPE", property.path.ToString(),
             "the in-between is left out: it needs a weight that is neither 0 nor 1");
      continue;
    }
    FLEXOR_ASSIGN(const auto offsets, Offsets(conversion, property, count));
    if (!offsets) continue;
    asset::InBetween in_between;
    in_between.weight = static_cast<float>(*weight);
    in_between.positions = order.Arrange(*offsets);
    if (with_normals) {
      FLEXOR_ASSIGN(
          const auto normals,
          Offsets(conversion, stage.FindProperty(target, name.str() + std::string(kNormalOffsets)),
                  count));
      if (normals) in_between.normals = order.Arrange(*normals);
    }
    morph.in_betweens.push_back(std::move(in_between));
  }
  std::stable_sort(morph.in_betweens.begin(), morph.in_betweens.end(),
                   [](const auto& a, const auto& b) { return a.weight < b.weight; });
  return {};
}

Result<std::optional<asset::Morph>> ReadBlendShape(Conversion& conversion, const StagePrim& target,
                                                   bool with_normals, const asset::Mesh& mesh) {
  const Stage& stage = conversion.stage;
  FLEXOR_ASSIGN(const Value indices_value,
                DefaultValue(stage.FindProperty(target, "pointIndices"), conversion.budget));
  const auto indices = AsInts(indices_value);
  const bool is_sparse = indices && !indices->empty();
  const std::size_t count = is_sparse ? indices->size() : mesh.point_count();
  if (is_sparse) {
    for (const std::int32_t index : *indices) {
      if (index >= 0 && static_cast<std::size_t>(index) < mesh.point_count()) continue;
      Report(conversion.diagnostics, "USD_BLEND_SHAPE", target.path.ToString(),
             "the shape is left out: pointIndices names point " + std::to_string(index) + " of " +
                 std::to_string(mesh.point_count()));
      return std::optional<asset::Morph>();
    }
  }
  FLEXOR_ASSIGN(const auto offsets,
                Offsets(conversion, stage.FindProperty(target, "offsets"), count));
  if (!offsets) return std::optional<asset::Morph>();
  FLEXOR_TRY(conversion.budget.Charge(count, 2 * sizeof(Vec3f), "blend shapes"));
  const OffsetOrder order(mesh, is_sparse ? &*indices : nullptr);
  asset::Morph morph;
  morph.vertices = order.vertices();
  morph.positions = order.Arrange(*offsets);
  if (with_normals) {
    FLEXOR_ASSIGN(const auto normals,
                  Offsets(conversion, stage.FindProperty(target, "normalOffsets"), count));
    if (normals) morph.normals = order.Arrange(*normals);
  }
  FLEXOR_TRY(ReadInBetweens(conversion, target, order, count, with_normals, morph));
  return std::optional<asset::Morph>(std::move(morph));
}

}  // namespace

Status ConvertMorphs(Conversion& conversion, PlacedShape& placed, Spread normal_spread,
                     asset::Mesh& mesh) {
  Stage& stage = conversion.stage;
  const StagePrim& prim = *placed.prim;
  FLEXOR_ASSIGN(const Value names_value,
                DefaultValue(stage.FindProperty(prim, "skel:blendShapes"), conversion.budget));
  const auto names = AsTokens(names_value);
  if (!names || names->empty() || !HasBinding(stage, prim, conversion.diagnostics)) return {};
  const std::vector<Path> targets = stage.ForwardedTargets(prim, "skel:blendShapeTargets");
  if (targets.size() != names->size()) {
    Report(conversion.diagnostics, "USD_BLEND_SHAPE", prim.path.ToString(),
           "skel:blendShapes has " + std::to_string(names->size()) +
               " names and skel:blendShapeTargets " + std::to_string(targets.size()) +
               " targets; the shapes are left out");
    return {};
  }
  // Offsets of normals count for normals of points only.
  const bool with_normals = !mesh.normals.empty() && normal_spread == Spread::kVertex;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::int32_t found = stage.Find(targets[i]);
    const StagePrim* target = found < 0 ? nullptr : &stage[static_cast<std::size_t>(found)];
    if (target == nullptr || !(target->type_name == "BlendShape")) {
      Report(conversion.diagnostics, "USD_BLEND_SHAPE", prim.path.ToString(),
             "skel:blendShapeTargets names <" + targets[i].ToString() +
                 ">, which is no BlendShape; the shape '" + (*names)[i].str() + "' is left out");
      continue;
    }
    FLEXOR_ASSIGN(auto morph, ReadBlendShape(conversion, *target, with_normals, mesh));
    if (!morph) continue;
    morph->name = (*names)[i].str();
    mesh.morphs.push_back(*std::move(morph));
    placed.blend_shapes.push_back((*names)[i]);
  }
  return {};
}

}  // namespace flexor::io::usd
