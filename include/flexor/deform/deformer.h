/// @file deform/deformer.h
/// A character's meshes, deformed as its pose says: plans, prepared plans, scratch and one backend
/// call for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/asset/posed_character.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/deform/backend.h"

namespace flexor::deform {

/// How a character is to be deformed.
struct DeformerSettings {
  DeformSettings deform{};
  BackendKind backend = BackendKind::kCpu;
  BackendOptions backend_options{};
  bool tangents = true;  ///< also compute tangents where a mesh has them
  /// Positions relative to a point amid the joints of the frame,
  /// DeformedCharacter::output_origin(): differences of a character far from the origin then keep
  /// their digits.
  bool near_origin = false;
  bool exact = false;  ///< also positions in double, as far as the backend has them: the reference
  bool all_instances = false;  ///< also those outside the default scene
};

/// One mesh instance, deformed. The arrays are those of the DeformedCharacter, or empty where it
/// writes into the caller's memory.
struct DeformedMesh {
  std::uint32_t instance = 0;
  std::span<const Vec3f> positions{};  ///< model space minus output_origin
  std::span<const Vec3f> normals{};    ///< empty when the mesh has none
  std::span<const Vec4f> tangents{};   ///< empty when the mesh has none, or none were asked for
  std::span<const Vec3d> exact{};      ///< positions in double; empty unless they were asked for
  FrameReport report{};
};

/// The results of one posed character, in the order of Deformer::instances(). Made by a Deformer,
/// overwritten by each of its calls.
class FLEXOR_API DeformedCharacter {
 public:
  DeformedCharacter();
  ~DeformedCharacter();
  DeformedCharacter(DeformedCharacter&&) noexcept;
  DeformedCharacter& operator=(DeformedCharacter&&) noexcept;

  std::span<const DeformedMesh> meshes() const;
  /// What was subtracted from every position; zero without near_origin. The same for every method:
  /// it follows from the pose alone.
  Vec3d output_origin() const;

 private:
  friend class Deformer;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One character of a crowd: its pose, and where its meshes go.
struct CrowdMember {
  const asset::PosedCharacter* posed = nullptr;
  DeformedCharacter* out = nullptr;
};

/// Holds a plan and a prepared plan for every mesh that a character draws, shared by instances that
/// can share them, and scratch for one call.
/// Lifetime  the character must be finalised and outlive the object unchanged
/// Threads   one call at a time for one object
/// Errors    of every function, besides those named: kOutOfMemory
class FLEXOR_API Deformer {
 public:
  /// Errors  those of BuildDeformPlan, CreateBackend and Backend::Prepare
  static Result<Deformer> Create(const asset::Character& character,
                                 const DeformerSettings& settings);
  ~Deformer();
  Deformer(Deformer&&) noexcept;
  Deformer& operator=(Deformer&&) noexcept;

  /// The instances that are deformed, indices into Character::instances, ascending.
  std::span<const std::uint32_t> instances() const;
  /// Of instances()[index].
  const PreparedPlan& prepared(std::size_t index) const;
  const Backend& backend() const;

  /// Memory for the results of one posed character.
  Result<DeformedCharacter> CreateResults() const;
  /// The same in the caller's memory, one set of views for each of instances().
  /// Errors  kShapeMismatch (number of views; both numbers). Their sizes are checked by Deform
  Result<DeformedCharacter> CreateResults(std::span<const OutputViews> views) const;

  /// Deforms every mesh of a posed character by one backend call. However far away the character
  /// is, its shape loses only the digits that positions out there cannot hold. A pure function of
  /// the pose; allocates nothing after the first call.
  /// Errors  kShapeMismatch (a pose of another character, results of another deformer; both
  /// numbers) · kInvalidValue (a vertex beyond the range of a float) · those of Backend::Run.
  /// Results are undefined then
  Status Deform(const asset::PosedCharacter& posed, DeformedCharacter& out);
  /// The same for a crowd: one character in many poses, by one backend call.
  Status Deform(std::span<const CrowdMember> crowd);

 private:
  struct Impl;
  explicit Deformer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace flexor::deform
