/// @file deform/scratch.h
/// The working memory of one call of Backend::Run. Results never depend on what it was used for
/// before.
#pragma once

#include <memory>
#include <utility>

#include "flexor/core/export.h"

namespace flexor::deform {

/// What a backend keeps in a Scratch. Private to the backends.
class FLEXOR_API ScratchMemory {
 public:
  virtual ~ScratchMemory() = default;
};

/// Fits every plan and every backend: a call makes it larger where it is too small, and one that
/// Backend::CreateScratch made large enough is never touched by the allocator again. For one call
/// at a time: threads that deform at once have one each. Empty when made by default or moved from.
class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(std::unique_ptr<ScratchMemory> memory) : memory_(std::move(memory)) {}

  ScratchMemory* memory() { return memory_.get(); }
  const ScratchMemory* memory() const { return memory_.get(); }

 private:
  std::unique_ptr<ScratchMemory> memory_;
};

}  // namespace flexor::deform
