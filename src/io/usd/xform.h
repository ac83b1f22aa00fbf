/// @file io/usd/xform.h
/// Where a prim stands: its transform operations, and those of everything above it.
#pragma once

#include <optional>
#include <vector>

#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/math/mat.h"

#include "io/usd/stage.h"

namespace flexor::io::usd {

/// The transform operations of one prim, in the order of its xformOpOrder. Operations that cannot
/// be used are left out with a diagnostic.
class Xform {
 public:
  /// `prim` may be of any type; what cannot be placed has no operations.
  static Result<Xform> Of(const Stage& stage, const StagePrim& prim, MemoryBudget& budget,
                          Diagnostics& diagnostics);

  /// parent_from_prim at a time code of the stage; without a time, of the defaults.
  /// Errors  those of ValueAt
  Result<Mat34d> At(std::optional<double> time, MemoryBudget& budget,
                    Diagnostics& diagnostics) const;
  /// The transforms of everything above the prim are not used.
  bool resets() const { return resets_; }
  bool empty() const { return operations_.empty(); }
  /// Times at which an operation has a sample, ascending, each once.
  std::vector<double> SampleTimes() const;

 private:
  struct Operation {
    Property attribute;
    Token kind;  ///< "translate", "rotateXYZ", …
    bool inverse = false;
  };
  std::vector<Operation> operations_;
  bool resets_ = false;
};

/// Whether prims of that type have transforms of their own: those that are drawn, and groups.
bool IsXformable(Token type_name);
/// Whether they can be seen at all, themselves or through what is below them.
bool IsImageable(Token type_name);

/// world_from_prim: of the prim and everything above it.
/// Errors  those of ValueAt
Result<Mat34d> WorldFromPrim(const Stage& stage, const StagePrim& prim, std::optional<double> time,
                             MemoryBudget& budget, Diagnostics& diagnostics);

}  // namespace flexor::io::usd
