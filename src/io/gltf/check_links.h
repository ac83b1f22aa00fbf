/// @file io/gltf/check_links.h
/// Everything that one object of a document demands of another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/gltf/check_findings.h"
#include "io/gltf/check_model.h"

namespace flexor::io::gltf {

/// Follows every reference of the model, reports what does not fit, notes what is used, and
/// collects the rules for data (CheckModel::data_rules). Linear in the size of the document, or
/// reports CHECK_INCOMPLETE.
void CheckLinks(CheckModel& model, Findings& findings);

/// Whether `bytes` bytes at `offset` of a view can be read as components of that size. Says why not
/// when `findings` are given.
bool SpanIsGood(std::uint64_t offset, std::uint32_t component_bytes, double bytes,
                const RawBufferView& view, std::int64_t view_index, const std::string& pointer,
                Findings* findings);

namespace links {

/// What the parts share.
class Context {
 public:
  Context(CheckModel& model, Findings& findings) : model_(model), findings_(findings) {}

  CheckModel& model() { return model_; }
  Findings& findings() { return findings_; }

  /// An index at `where` that refers to no element.
  void Unresolved(const std::string& where, std::int64_t index, std::size_t count);
  /// Resolves an index and reports one that refers to no element. None at all is no fault.
  template <class Item, class Index>
  Item* Find(std::vector<Item>& items, Index index, const std::string& where) {
    if (IndexOf(index) == kNone) return nullptr;
    Item* item = CheckModel::Resolve(items, index);
    if (item == nullptr) Unresolved(where, IndexOf(index), items.size());
    return item;
  }
  /// The same, and notes the use.
  template <class Item, class Index>
  Item* Follow(std::vector<Item>& items, Index index, const std::string& where) {
    Item* item = Find(items, index, where);
    if (item != nullptr) item->used = true;
    return item;
  }
  void UseView(CheckedView& view, ViewUsage usage, const std::string& where);
  void UseAccessor(CheckedAccessor& accessor, AccessorUsage usage, const std::string& where);
  /// Takes `steps` from the work that all walks together may do; false when it is used up. What a
  /// sane file needs is far below; a hostile one must not take hours.
  bool Afford(std::size_t steps) {
    constexpr std::size_t kMostWork = 50'000'000;
    work_ += steps;
    return work_ <= kMostWork;
  }
  CheckedView* ViewOf(const CheckedAccessor& accessor) {
    return CheckModel::Resolve(model_.views, accessor.raw->view);
  }

 private:
  CheckModel& model_;
  Findings& findings_;
  std::size_t work_ = 0;
};

void Accessors(Context& context);
void Meshes(Context& context);
void Nodes(Context& context);
void Skins(Context& context);
void Scenes(Context& context);
void Hierarchy(Context& context);
void Animations(Context& context);

/// For every node, whether it lies on a loop of parents. Linear.
std::vector<bool> NodesOnLoops(const std::vector<CheckedNode>& nodes);

}  // namespace links
}  // namespace flexor::io::gltf
