#include <algorithm>
#include <utility>

#include "io/gltf/mesh_parts.h"
#include "io/json/parse.h"

namespace flexor::io::gltf {
namespace {

struct Entry {
  std::uint32_t vertex;
  Vec3f offset;
};

/// A sparse element and the place where it came in the file.
struct Arrival {
  std::uint32_t element;
  std::uint32_t order;
};

bool IsZero(Vec3f v) { return v.x == 0 && v.y == 0 && v.z == 0; }

/// The offsets of one attribute of one target that are not zero, by vertex. Charged for as long as
/// it lives.
class Offsets {
 public:
  explicit Offsets(MemoryBudget& budget) : budget_(&budget) {}
  Offsets(const Offsets&) = delete;
  Offsets& operator=(const Offsets&) = delete;
  ~Offsets() { budget_->Release(charged_); }

  const std::vector<Entry>& entries() const { return entries_; }

  /// Adds what `accessor` holds for the vertices of a range.
  Status Add(const MeshContext& context, std::uint32_t accessor, const std::string& place,
             std::uint32_t first_vertex) {
    const RawAccessor& raw = context.accessors.Raw(accessor);
    FLEXOR_TRY(context.accessors.Expect(accessor, place, {ElementType::kVec3}, kAnyNumber));
    if (raw.view == kNone) {
      FLEXOR_ASSIGN(const SparseFloats sparse, context.accessors.Sparse(accessor, place));
      FLEXOR_TRY(Grow(sparse.elements.size()));
      std::vector<Arrival> arrivals(sparse.elements.size());
      for (std::uint32_t i = 0; i < arrivals.size(); ++i) arrivals[i] = {sparse.elements[i], i};
      std::sort(arrivals.begin(), arrivals.end(), [](Arrival x, Arrival y) {
        return x.element != y.element ? x.element < y.element : x.order < y.order;
      });
      for (std::size_t i = 0; i < arrivals.size(); ++i) {
        // Of repeated elements the last counts.
        if (i + 1 < arrivals.size() && arrivals[i + 1].element == arrivals[i].element) continue;
        const float* v = sparse.values.data() + std::size_t{arrivals[i].order} * 3;
        const Vec3f offset{v[0], v[1], v[2]};
        if (!IsZero(offset)) entries_.push_back({first_vertex + arrivals[i].element, offset});
      }
      context.budget.Release(sparse.elements.size() * sizeof(std::uint32_t) +
                             sparse.values.size() * sizeof(float));
      return {};
    }
    FLEXOR_ASSIGN(const auto values, context.accessors.Floats(accessor, place));
    std::size_t moved = 0;
    const auto at = [&](std::size_t i) {
      return Vec3f{values[i * 3], values[i * 3 + 1], values[i * 3 + 2]};
    };
    for (std::size_t i = 0; i < values.size() / 3; ++i) moved += IsZero(at(i)) ? 0 : 1;
    FLEXOR_TRY(Grow(moved));
    for (std::size_t i = 0; i < values.size() / 3; ++i) {
      if (!IsZero(at(i))) entries_.push_back({first_vertex + static_cast<std::uint32_t>(i), at(i)});
    }
    context.budget.Release(values.size() * sizeof(float));
    return {};
  }

 private:
  Status Grow(std::size_t more) {
    // Growing copies: the old and the new array live side by side for a while.
    FLEXOR_TRY(budget_->Charge(more, 2 * sizeof(Entry), "morph targets"));
    charged_ += more * 2 * sizeof(Entry);
    entries_.reserve(entries_.size() + more);
    return {};
  }

  MemoryBudget* budget_;
  std::uint64_t charged_ = 0;
  std::vector<Entry> entries_;
};

/// Lays entries out for the given vertices (sparse, ascending) or for all (dense).
std::vector<Vec3f> Layout(const std::vector<Entry>& entries,
                          const std::vector<std::uint32_t>& vertices, std::size_t vertex_count) {
  if (entries.empty()) return {};
  std::vector<Vec3f> out(vertices.empty() ? vertex_count : vertices.size());
  std::size_t at = 0;
  for (const Entry& entry : entries) {
    if (vertices.empty()) {
      out[entry.vertex] = entry.offset;
      continue;
    }
    while (vertices[at] != entry.vertex) ++at;
    out[at] = entry.offset;
  }
  return out;
}

Status BuildMorph(const MeshContext& context, const Offsets (&parts)[3], std::size_t vertex_count,
                  asset::Morph& morph) {
  std::size_t total = 0, arrays = 0;
  for (const Offsets& part : parts) {
    total += part.entries().size();
    arrays += part.entries().empty() ? 0 : 1;
  }
  if (total == 0) return {};
  FLEXOR_TRY(context.budget.Charge(total, sizeof(std::uint32_t), "morph targets"));
  std::vector<std::uint32_t> vertices;
  vertices.reserve(total);
  for (const Offsets& part : parts) {
    for (const Entry& entry : part.entries()) vertices.push_back(entry.vertex);
  }
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  if (vertices.size() * 2 > vertex_count) vertices.clear();
  vertices.shrink_to_fit();
  context.budget.Release((total - vertices.size()) * sizeof(std::uint32_t));
  const std::size_t length = vertices.empty() ? vertex_count : vertices.size();
  FLEXOR_TRY(context.budget.Charge(length * arrays, sizeof(Vec3f), "morph targets"));
  morph.positions = Layout(parts[0].entries(), vertices, vertex_count);
  morph.normals = Layout(parts[1].entries(), vertices, vertex_count);
  morph.tangents = Layout(parts[2].entries(), vertices, vertex_count);
  morph.vertices = std::move(vertices);
  return {};
}

constexpr std::string_view kKinds[] = {"POSITION", "NORMAL", "TANGENT"};

Status ReadTarget(const MeshContext& context, const std::vector<RangeReader>& ranges,
                  std::size_t target, asset::Mesh& mesh) {
  Offsets parts[3] = {Offsets(context.budget), Offsets(context.budget), Offsets(context.budget)};
  for (const RangeReader& part : ranges) {
    const RawPrimitive& primitive = part.reader.raw();
    for (const RawAttribute& attribute : primitive.targets[target]) {
      const std::string place = json::JoinPointer(
          part.reader.Place("/targets/") + std::to_string(target), attribute.name);
      const auto kind = std::find(std::begin(kKinds), std::end(kKinds), attribute.name);
      if (kind == std::end(kKinds)) {
        Report(context.diagnostics, "MORPH_ATTRIBUTE_IGNORED", part.reader.Place("/targets"),
               "morphing " + std::string(attribute.name) + " is not supported; it stays as it is");
        continue;
      }
      if (primitive.Find(attribute.name) == kNone) {
        Report(
            context.diagnostics, "MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR", place,
            "the primitive itself has no " + std::string(attribute.name) + " to add to; ignored");
        continue;
      }
      if (kind == std::begin(kKinds) && !context.accessors.Raw(attribute.accessor).has_bounds) {
        Report(context.diagnostics, "MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", place,
               "the accessor lacks min and max");
      }
      FLEXOR_TRY(parts[kind - std::begin(kKinds)].Add(context, attribute.accessor, place,
                                                      part.range.first_vertex));
    }
  }
  return BuildMorph(context, parts, mesh.vertex_count(), mesh.morphs[target]);
}

}  // namespace

Status ReadMorphs(const MeshContext& context, std::uint32_t mesh_index,
                  const std::vector<RangeReader>& ranges, asset::Mesh& mesh) {
  const RawMesh& raw = context.document.meshes[mesh_index];
  const std::size_t targets = raw.primitives.front().targets.size();
  FLEXOR_TRY(context.budget.Charge(targets, sizeof(asset::Morph) + sizeof(float), "morphs"));
  mesh.morphs.resize(targets);
  mesh.morph_weights.assign(targets, 0.0f);
  for (std::size_t t = 0; t < targets; ++t) {
    if (t < raw.target_names.size()) mesh.morphs[t].name = raw.target_names[t];
    if (t < raw.weights.size()) mesh.morph_weights[t] = static_cast<float>(raw.weights[t]);
    FLEXOR_TRY(ReadTarget(context, ranges, t, mesh));
  }
  return {};
}

}  // namespace flexor::io::gltf
