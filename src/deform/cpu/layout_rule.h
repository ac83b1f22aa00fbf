/// @file deform/cpu/layout_rule.h
/// How vertices of a method lie in blocks. Private to deform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "deform/cpu/layout.h"
#include "deform/plan_data.h"

namespace flexor::deform {

/// What a block's entries of CpuLayout::joints name.
enum class BlockNames : std::uint8_t {
  kJoints,   ///< a list of joints, as BlockKind says
  kPayload,  ///< what its payload says: one entry for all vertices (kShared) or one each (kAny)
};

/// One block whose payload is to be filled in.
struct PayloadFill {
  const PlanData& plan;
  Vec3d center;                             ///< CpuLayout::center
  std::span<const std::uint32_t> vertices;  ///< (16) lanes after the last vertex repeat it
  CpuBlock& block;
  float* rows;                         ///< of the payload, zero
  std::vector<std::uint32_t>& joints;  ///< CpuLayout::joints; the block's begin at its end
};

struct LayoutRule {
  /// Appends the joints that move a vertex, ascending: vertices that share them share blocks. The
  /// number of joints stands for what moves vertices without weight.
  void (*joints)(const PlanData& plan, std::size_t vertex, std::vector<std::uint32_t>& out);
  BlockNames names;
  bool weights;      ///< rows of weights of the joints come before those of the payload
  bool follows_one;  ///< vertices of one joint follow its matrix (BlockKind::kOne)
  bool joints_each;  ///< vertices of a block may have entries of their own (BlockKind::kAny)
  bool signs;        ///< quaternions are blended that agree with the leading joint's
  std::size_t (*payload_rows)(const CpuBlock& block);  ///< null: none
  void (*payload)(const PayloadFill& fill);            ///< null with payload_rows
};

/// The influences of the plan.
void InfluenceJoints(const PlanData& plan, std::size_t vertex, std::vector<std::uint32_t>& out);

/// A share of dual quaternions for each vertex.
std::size_t MixedRows(const CpuBlock& block);
void FillMixed(const PayloadFill& fill);

/// The pair of a vertex; the centre C (x y z), w1 C - w0 w1 (R0' - R1') / 2 (x y z), and w1.
/// Entries name pairs.
void SphericalJoints(const PlanData& plan, std::size_t vertex, std::vector<std::uint32_t>& out);
inline constexpr std::size_t kSphericalRows = 7;
std::size_t SphericalRows(const CpuBlock& block);
void FillSpherical(const PayloadFill& fill);

}  // namespace flexor::deform
