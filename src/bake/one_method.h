/// @file bake/one_method.h
/// A character deformed in one way, pose after pose.
#pragma once

#include <span>
#include <utility>

#include "flexor/deform/deformer.h"

namespace flexor::bake {

/// A deformer and the memory of its results.
struct OneMethod {
  /// Errors  those of Deformer::Create
  static Result<OneMethod> Create(const asset::Character& character,
                                  const deform::DeformerSettings& settings) {
    FLEXOR_ASSIGN(deform::Deformer deformer, deform::Deformer::Create(character, settings));
    FLEXOR_ASSIGN(deform::DeformedCharacter shape, deformer.CreateResults());
    return OneMethod{std::move(deformer), std::move(shape)};
  }

  /// Errors  those of Deformer::Deform
  Status Deform(const asset::PosedCharacter& posed) { return deformer.Deform(posed, shape); }

  /// The results of the last Deform.
  std::span<const deform::DeformedMesh> meshes() const { return shape.meshes(); }

  deform::Deformer deformer;
  deform::DeformedCharacter shape;
};

}  // namespace flexor::bake
