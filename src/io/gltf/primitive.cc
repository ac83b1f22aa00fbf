#include "io/gltf/primitive.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "io/gltf/layout.h"
#include "io/rules.h"

namespace flexor::io::gltf {

Result<PrimitiveReader> PrimitiveReader::Open(const MeshContext& context, std::uint32_t mesh,
                                              std::uint32_t primitive) {
  const RawPrimitive& raw = context.document.meshes[mesh].primitives[primitive];
  PrimitiveReader reader(
      context, raw, "/meshes/" + std::to_string(mesh) + "/primitives/" + std::to_string(primitive));
  if (!raw.draco) return reader;
  const std::string place = reader.Place("/extensions/") + kDracoExtension;
  if (!HasDraco()) {
    // The same data may be there uncompressed.
    const bool plain = std::all_of(raw.attributes.begin(), raw.attributes.end(),
                                   [&](const RawAttribute& attribute) {
                                     return context.accessors.Raw(attribute.accessor).view != kNone;
                                   });
    if (plain && !raw.attributes.empty()) {
      Report(context.diagnostics, "DRACO_FALLBACK_USED", place,
             "this build has no Draco decoder; the uncompressed data was used");
      return reader;
    }
  }
  FLEXOR_ASSIGN(const auto bytes, context.store.View(raw.draco->view));
  auto decoded = DracoMesh::Decode(bytes, context.budget);
  if (!decoded.ok()) return AtPointer(std::move(decoded).error(), place);
  const auto disagree = [&](const std::string& what, std::uint64_t accessor, std::uint64_t data) {
    return Error{ErrorCode::kShapeMismatch,
                 "the accessor of " + what + " has " + std::to_string(accessor) +
                     " elements, but the compressed data holds " + std::to_string(data),
                 {{}, place, std::nullopt}};
  };
  for (const RawAttribute& attribute : raw.draco->attributes) {
    const std::int32_t accessor = raw.Find(attribute.name);
    if (accessor == kNone) continue;
    const std::uint64_t count = context.accessors.Raw(static_cast<std::uint32_t>(accessor)).count;
    if (count != decoded->point_count()) {
      return disagree(std::string(attribute.name), count, decoded->point_count());
    }
  }
  if (raw.indices != kNone) {
    const std::uint64_t count =
        context.accessors.Raw(static_cast<std::uint32_t>(raw.indices)).count;
    if (count != decoded->index_count()) {
      return disagree("indices", count, decoded->index_count());
    }
  }
  reader.draco_ = std::move(*decoded);
  return reader;
}

std::optional<std::uint32_t> PrimitiveReader::DracoId(std::string_view name) const {
  if (!draco_) return std::nullopt;
  for (const RawAttribute& attribute : raw_->draco->attributes) {
    if (attribute.name == name) return attribute.accessor;
  }
  return std::nullopt;
}

Result<bool> PrimitiveReader::Floats(std::string_view name, ElementType type, Formats formats,
                                     bool fractions, std::span<float> out) const {
  const std::int32_t found = raw_->Find(name);
  if (found == kNone) return false;
  const auto accessor = static_cast<std::uint32_t>(found);
  const std::string place = Place("/attributes/") + std::string(name);
  if (const auto id = DracoId(name)) {
    const bool normalized = fractions || context_->accessors.Raw(accessor).normalized;
    Status status = draco_->Floats(*id, ComponentCount(type), normalized, out);
    if (!status.ok()) return AtPointer(std::move(status).error(), place);
    return true;
  }
  FLEXOR_TRY(context_->accessors.Expect(accessor, place, {type}, kAnyNumber));
  if (!context_->accessors.Expect(accessor, place, {type}, formats).ok()) {
    Report(context_->diagnostics, "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", place,
           std::string("the file does not say that it may hold ") +
               ComponentName(context_->accessors.Raw(accessor).component) +
               " here; read all the same");
  }
  FLEXOR_TRY(context_->accessors.Floats(accessor, place, out, fractions));
  return true;
}

Status PrimitiveReader::Joints(std::string_view name, std::span<std::uint32_t> out) const {
  const auto accessor = static_cast<std::uint32_t>(raw_->Find(name));
  const std::string place = Place("/attributes/") + std::string(name);
  if (const auto id = DracoId(name)) {
    Status status = draco_->Unsigned(*id, 4, out);
    if (!status.ok()) return AtPointer(std::move(status).error(), place);
    return {};
  }
  FLEXOR_TRY(context_->accessors.Expect(accessor, place, {ElementType::kVec4}, kUnsignedIndex));
  return context_->accessors.Unsigned(accessor, place, out);
}

std::uint64_t PrimitiveReader::CornerCount() const {
  if (draco_) return draco_->index_count();
  const std::int32_t accessor = raw_->indices != kNone ? raw_->indices : raw_->Find("POSITION");
  return context_->accessors.Raw(static_cast<std::uint32_t>(accessor)).count;
}

Result<std::vector<std::uint32_t>> PrimitiveReader::Corners(std::uint32_t vertex_count) const {
  const std::string place = Place("/indices");
  const std::uint64_t count = CornerCount();
  auto charged =
      context_->budget.Charge(count, sizeof(std::uint32_t), "the indices of a primitive");
  if (!charged.ok()) return AtPointer(std::move(charged).error(), place);
  std::vector<std::uint32_t> corners(static_cast<std::size_t>(count));
  if (draco_) {
    Status status = draco_->Indices(corners);
    if (!status.ok()) return AtPointer(std::move(status).error(), place);
  } else if (raw_->indices == kNone) {
    std::iota(corners.begin(), corners.end(), 0u);
    return corners;
  } else {
    const auto accessor = static_cast<std::uint32_t>(raw_->indices);
    FLEXOR_TRY(context_->accessors.Expect(accessor, place, {ElementType::kScalar}, kUnsignedIndex));
    FLEXOR_TRY(context_->accessors.Unsigned(accessor, place, corners));
    const std::uint32_t bytes = ComponentBytes(context_->accessors.Raw(accessor).component);
    const std::uint32_t restart = 0xffffffffu >> (32 - 8 * bytes);
    const auto found = std::find(corners.begin(), corners.end(), restart);
    if (found != corners.end()) {
      return Error{ErrorCode::kInvalidValue,
                   "index " + std::to_string(found - corners.begin()) + " is " +
                       std::to_string(restart) +
                       ", the primitive restart value, which glTF does not allow",
                   {{}, place, std::nullopt}};
    }
  }
  const auto beyond = std::find_if(corners.begin(), corners.end(),
                                   [&](std::uint32_t v) { return v >= vertex_count; });
  if (beyond != corners.end()) {
    return Error{ErrorCode::kIndexOutOfRange,
                 "index " + std::to_string(beyond - corners.begin()) + " names vertex " +
                     std::to_string(*beyond) + " of only " + std::to_string(vertex_count),
                 {{}, place, std::nullopt}};
  }
  return corners;
}

}  // namespace flexor::io::gltf
