/// @file io/gltf/document_parts.h
/// The pieces of ReadDocument, one per corner of the format, and the helpers they share.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/gltf/document.h"
#include "io/gltf/raw.h"
#include "io/json/access.h"
#include "io/rules.h"

namespace flexor::io::gltf {

/// What every piece needs: the numbers of things (known before they are read, so that references
/// forward can be checked), the budget, and what to do about faults.
///
/// A member that is wrong gives kNoNumber, kNoIndex or nothing, and the first fault is kept:
/// whoever reads an element goes on to its end, and looks at stopped() before he uses what he read.
/// When the document was judged before, faults are known and reading goes on.
class ReadContext {
 public:
  ReadContext(const json::Value& root_value, const InvalidValues* judged_invalid,
              MemoryBudget& memory, Diagnostics* findings, RawDocument& out)
      : root(root_value, ""),
        budget(memory),
        document(out),
        invalid_(judged_invalid),
        diagnostics_(findings) {}

  json::Ref root;
  MemoryBudget& budget;
  RawDocument& document;
  struct {
    std::size_t buffers = 0, views = 0, accessors = 0, meshes = 0, nodes = 0, skins = 0;
    std::size_t materials = 0, textures = 0, images = 0, samplers = 0, cameras = 0, scenes = 0;
  } count;

  /// Whether the faults of the document are known, and said, already.
  bool judged() const { return invalid_ != nullptr; }
  /// Whether a fault ended the reading.
  bool stopped() const { return fault_.has_value(); }
  const std::optional<Error>& fault() const { return fault_; }
  void Fail(Error error) {
    if (!fault_) fault_ = std::move(error);
  }
  /// Notes the error of a status, if it has one.
  void Check(const Status& status) {
    if (!status.ok()) Fail(status.error());
  }
  /// A finding about what can be lived with.
  void Say(std::string_view code, std::string_view where, std::string message) const {
    if (diagnostics_ != nullptr) Report(*diagnostics_, code, where, std::move(message));
  }

  // Members of an object. Of an optional one that is absent: `absent`, kNone or nothing.

  /// A good member of any type, or nullptr.
  const json::Value* Find(const json::Ref& object, std::string_view key) const;
  std::uint64_t Unsigned(const json::Ref& object, std::string_view key, std::uint64_t absent,
                         std::uint64_t maximum = json::kMaxExactInteger);
  std::uint64_t RequireUnsigned(const json::Ref& object, std::string_view key,
                                std::uint64_t maximum = json::kMaxExactInteger);
  bool Bool(const json::Ref& object, std::string_view key, bool absent);
  double Number(const json::Ref& object, std::string_view key, double absent);
  std::optional<std::vector<double>> Numbers(const json::Ref& object, std::string_view key,
                                             std::size_t size = json::Ref::kAnyCount);
  /// Exactly N numbers into `out`, which stays as it is when they are not there.
  template <std::size_t N>
  bool Numbers(const json::Ref& object, std::string_view key, std::array<double, N>& out) {
    if (Find(object, key) == nullptr) return false;
    const auto numbers = Numbers(object, key, N);
    if (numbers) std::copy(numbers->begin(), numbers->end(), out.begin());
    return numbers.has_value();
  }
  /// A text without copying it; it lives as long as the JSON document.
  std::optional<std::string_view> Text(const json::Ref& object, std::string_view key);
  std::optional<std::string_view> RequireText(const json::Ref& object, std::string_view key);
  std::string_view Name(const json::Ref& object) { return Text(object, "name").value_or(""); }
  std::optional<json::Ref> Object(const json::Ref& object, std::string_view key);
  std::optional<json::Ref> RequireObject(const json::Ref& object, std::string_view key);
  /// The array `key`, when it is there and not empty; an empty one is reported.
  std::optional<json::Ref> FilledArray(const json::Ref& object, std::string_view key);
  /// The same for one that must be there; `things` it must hold some of, or empty when an empty one
  /// is only reported.
  std::optional<json::Ref> RequireArray(const json::Ref& object, std::string_view key,
                                        std::string_view things = {});
  /// The member `name` of the optional member "extensions"; none in a judged document.
  std::optional<json::Ref> Extension(const json::Ref& object, std::string_view name);

  /// An index that must be below `limit`; `things` is the plural of what it names.
  std::uint32_t RequireIndex(const json::Ref& object, std::string_view key, std::size_t limit,
                             std::string_view things);
  std::int32_t FindIndex(const json::Ref& object, std::string_view key, std::size_t limit,
                         std::string_view things);
  /// Elements of an array of indices.
  std::vector<std::uint32_t> Indices(const json::Ref& array, std::size_t limit,
                                     std::string_view things);

  /// Reads the objects of an array one by one with read(context, object, item).
  template <class Item, class Read>
  void Elements(const json::Ref& array, std::string_view what, std::vector<Item>& out, Read read) {
    Check(budget.Charge(array.size(), sizeof(Item), what));
    if (stopped()) return;
    out.resize(array.size());
    for (std::size_t i = 0; i < out.size() && !stopped(); ++i) {
      const json::Ref element = array.At(i);
      if (element.is_object()) {
        read(*this, element, out[i]);
      } else if (!judged()) {
        Check(element.ExpectObject());
      }
    }
  }
  /// The same for an array of the document.
  template <class Item, class Read>
  void Collection(std::string_view key, std::vector<Item>& out, Read read) {
    if (stopped()) return;
    if (const auto array = FilledArray(root, key)) Elements(*array, key, out, read);
  }

 private:
  std::uint32_t IndexBelow(std::uint64_t index, const json::Ref& object, std::string_view key,
                           std::size_t limit, std::string_view things);
  void OutOfRange(std::string pointer, std::uint64_t index, std::size_t limit,
                  std::string_view things);

  const InvalidValues* invalid_;
  Diagnostics* diagnostics_;
  std::optional<Error> fault_;
};

void ReadExtensionLists(ReadContext& context);   // document_extensions.cc
void ReadBuffersAndViews(ReadContext& context);  // document_data.cc
void ReadAccessors(ReadContext& context);        // document_accessors.cc
void ReadMeshes(ReadContext& context);           // document_meshes.cc
void ReadNodesAndScenes(ReadContext& context);   // document_nodes.cc
void ReadSkins(ReadContext& context);            // document_nodes.cc
void ReadAnimations(ReadContext& context);       // document_animations.cc
void ReadMaterials(ReadContext& context);        // document_materials.cc
void ReadVrm(ReadContext& context);              // vrm.cc

}  // namespace flexor::io::gltf
