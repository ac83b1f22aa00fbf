/// @file deform/method_table.h
/// One row a method: its names, which vertices it takes, what it reads of a frame, its reference,
/// its layout and its kernels. Everything that differs between methods is asked of this table, so
/// that a new method adds a row. Private to deform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "flexor/asset/skinning_method.h"

#include "deform/bounds_rule.h"
#include "deform/cpu/kernels/targets.h"
#include "deform/cpu/layout_rule.h"
#include "deform/frame_need.h"
#include "deform/reference/reference.h"
#include "deform/vertex_methods.h"

namespace flexor::deform {

/// The values that a setting of a method can have, by name.
struct MethodVariants {
  std::string_view setting;  ///< what is chosen, in words
  std::size_t count;
  std::string_view (*name)(std::size_t index);
  void (*set)(std::size_t index, DeformSettings& settings);
};
extern const MethodVariants kDqsResiduals;
extern const MethodVariants kSdefRotations;

struct MethodRow {
  asset::SkinningMethod method;
  std::string_view name;
  std::string_view stem;           ///< of the header, reference, kernel, test, benchmark and page
  std::string_view summary;        ///< for help; empty for what no user can ask for by name
  const MethodVariants* variants;  ///< or null
  ResolveRule resolve;             ///< null: any vertex can be skinned so, without a payload
  EntriesRule entries;             ///< how many vertices it keeps something for; null with resolve
  FrameNeeds needs;
  ReferenceRule reference;
  BoundsRule bounds;  ///< null: no box is known to hold such vertices
  LayoutRule layout;
  KernelRule kernel;
};

/// (asset::kSkinningMethods) rows, each at the number of its method.
std::span<const MethodRow, asset::kSkinningMethods> MethodTable();
const MethodRow& RowOf(asset::SkinningMethod method);

/// What the methods that a plan uses read of a frame, together.
FrameNeeds NeedsOf(const MethodColumn& column);

}  // namespace flexor::deform
