/// @file support/usd_files.h
/// USD stages made of texts in memory.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/io/load.h"

#include "io/usd/compose_limits.h"
#include "io/usd/stage.h"

namespace flexor::test {

/// Files by name; a text without "#usda" gets that line in front.
class UsdFiles {
 public:
  UsdFiles& Add(const std::string& name, std::string_view text);
  io::ResourceFn Resources() const;
  const std::vector<std::byte>& Bytes(const std::string& name) const { return files_.at(name); }

 private:
  std::map<std::string, std::vector<std::byte>> files_;
};

/// A stage with what it lives on.
class ComposedStage {
 public:
  explicit ComposedStage(const UsdFiles& files, const std::string& root = "root.usda",
                         const io::usd::ComposeLimits& limits = {},
                         std::uint64_t budget_bytes = 64u << 20);

  bool ok() const { return stage_.ok(); }
  const Error& error() const { return stage_.error(); }
  io::usd::Stage& stage() { return **stage_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  MemoryBudget& budget() { return budget_; }

  /// The prim at a path; null when there is none.
  const io::usd::StagePrim* Prim(std::string_view path);
  /// A number that a property such as "/A.x" has by default, or at a time; NaN when it has none.
  double Default(std::string_view property);
  double At(std::string_view property, double time);
  /// Names of the children of a prim, separated by blanks.
  std::string Children(std::string_view path);
  /// "/A /B.c": targets or connections of a property.
  std::string Targets(std::string_view property);
  /// Time codes of the samples of a property.
  std::vector<double> Times(std::string_view property);
  /// "root.usda:/A b.usda:/B": who speaks about a prim, strongest first.
  std::string Stack(std::string_view path);

 private:
  io::usd::Property Find(std::string_view property);
  io::ResourceFn resources_;
  io::LoadOptions options_;
  MemoryBudget budget_;
  Diagnostics diagnostics_;
  Result<std::unique_ptr<io::usd::Stage>> stage_;
};

}  // namespace flexor::test
