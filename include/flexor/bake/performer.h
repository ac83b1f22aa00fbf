/// @file bake/performer.h
/// A character ready to be asked "how do you look at this time?": pose, palette and deformation
/// joined.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/deform/backend.h"
#include "flexor/pose/mmd_physics.h"
#include "flexor/pose/mmd_solver.h"
#include "flexor/pose/pose.h"

namespace flexor::bake {

/// One mesh instance in one frame, model space minus Performer::output_origin(). Owned by the
/// Performer, valid until its next Evaluate.
struct InstanceResult {
  std::uint32_t instance = 0;
  std::span<const Vec3f> positions{};
  std::span<const Vec3f> normals{};   ///< empty when the mesh has none
  std::span<const Vec4f> tangents{};  ///< empty when the mesh has none
  std::span<const Vec3d> exact{};     ///< positions in double; empty unless they were asked for
  deform::FrameReport report{};
};

/// Whether the rigid bodies of a MikuMikuDance character move its bones.
enum class MmdPhysicsUse : std::uint8_t {
  kAuto,  ///< in clips, when the build can: as MikuMikuDance shows it
  kOn,    ///< an error when the build cannot
  kOff,
};

/// How a MikuMikuDance character is posed; others do not care.
struct MmdPlay {
  pose::MmdSettings solver{};
  MmdPhysicsUse physics = MmdPhysicsUse::kAuto;
};

/// How a character is to be evaluated.
struct PerformerSettings {
  deform::DeformSettings deform{};
  deform::BackendKind backend = deform::BackendKind::kCpu;
  deform::BackendOptions backend_options{};
  std::vector<pose::Override> overrides{};
  MmdPlay mmd{};
  bool tangents = true;  ///< also compute tangents where a mesh has them
  /// Positions relative to a point amid the joints of the frame, output_origin(): differences of a
  /// character far from the origin then keep their digits.
  bool near_origin = false;
  bool exact = false;  ///< also positions in double, as far as the backend has them: the reference
  bool all_instances = false;  ///< also those outside the default scene
};

/// Holds plans and buffers of every drawn instance of one character. The character must outlive it.
class FLEXOR_API Performer {
 public:
  /// Errors  those of BuildDeformPlan and CreateBackend, and kInvalidArgument of the overrides
  static Result<Performer> Create(const asset::Character& character,
                                  const PerformerSettings& settings);
  ~Performer();
  Performer(Performer&&) noexcept;
  Performer& operator=(Performer&&) noexcept;

  /// Poses by `clip` (none: rest pose) at `seconds`, lays the overrides over it, deforms every
  /// instance. However far the character is, its shape loses only the digits that positions out
  /// there cannot hold. A pure function of its arguments; allocates nothing after the first call as
  /// long as there are no overrides and no rigid bodies. With bodies time counts in steps of
  /// 1/120 s, and a frame takes as long as all since the one before it, or since the clip's start.
  /// Errors  kIndexOutOfRange (clip) · kLimitExceeded (bodies more than two hours into a clip) ·
  /// kInvalidValue (a vertex beyond the range of a float) and those of Backend::Run; results are
  /// then undefined
  Status Evaluate(std::optional<std::uint32_t> clip, double seconds);

  std::span<const InstanceResult> results() const;
  const std::vector<Mat34d>& model_from_node() const;
  /// What was subtracted from every position of the last frame; zero without near_origin. The same
  /// for every method: it follows from the pose alone.
  Vec3d output_origin() const;
  /// What the rigid bodies have done; nullptr where none are simulated.
  const pose::MmdPhysicsReport* physics() const;
  const deform::DeformPlan& plan(std::size_t result_index) const;
  const deform::Backend& backend() const;

 private:
  struct Impl;
  explicit Performer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Refuses a character of which nothing is drawn. Errors  kInvalidValue that says whether meshes
/// outside the default scene could be taken
FLEXOR_API Status CheckHasMesh(const asset::Character& character, const Performer& performer);

}  // namespace flexor::bake
