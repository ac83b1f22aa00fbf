/// @file bake/performer.h
/// Posing and deformation of one character joined: all drawn vertices at a time of a clip.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "flexor/asset/character.h"
#include "flexor/asset/posed_character.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/deform/deformer.h"
#include "flexor/pose/poser.h"

namespace flexor::bake {

/// How a character is to be deformed, and how it is posed.
struct PerformerSettings : deform::DeformerSettings {
  pose::PoserSettings pose{};
};

/// A poser with its state, and a deformer with its results. Several methods in one pose are one
/// pose::Poser and several deform::Deformer instead.
/// Lifetime  the character must be finalised and outlive the object unchanged
/// Threads   one call at a time for one object
class FLEXOR_API Performer {
 public:
  /// Errors  those of Deformer::Create, Poser::Create and SimulationState::Create
  static Result<Performer> Create(const asset::Character& character,
                                  const PerformerSettings& settings);
  ~Performer();
  Performer(Performer&&) noexcept;
  Performer& operator=(Performer&&) noexcept;

  /// Poses by `clip` (none: rest pose) at `seconds` and deforms every instance. A pure function of
  /// its arguments; allocates nothing after the first call as long as no bodies are simulated.
  /// Errors  those of Poser::Evaluate and Deformer::Deform; results are then undefined
  Status Evaluate(std::optional<std::uint32_t> clip, double seconds);

  /// Of the last Evaluate, valid until the next.
  std::span<const deform::DeformedMesh> results() const;
  const asset::PosedCharacter& posed() const;
  /// What was subtracted from every position; zero without near_origin.
  Vec3d output_origin() const;
  /// Whether rigid bodies act in clips, and what was simulated.
  bool simulates() const;
  pose::SimulationReport simulation() const;
  const deform::DeformPlan& plan(std::size_t result_index) const;
  const deform::Backend& backend() const;

 private:
  struct Impl;
  explicit Performer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Refuses a character of which nothing is drawn. Errors  kInvalidValue that says whether meshes
/// outside the default scene could be taken
FLEXOR_API Status CheckHasMesh(const asset::Character& character, std::size_t drawn);

}  // namespace flexor::bake
