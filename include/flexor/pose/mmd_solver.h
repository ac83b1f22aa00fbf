/// @file pose/mmd_solver.h
/// Poses a MikuMikuDance character the way MikuMikuDance does: morphs of the pose, append, fixed
/// axes, IK, physics, in the order of the bones' layers. Background: docs/formats/mmd-solver.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/export.h"
#include "flexor/core/function_ref.h"
#include "flexor/core/result.h"
#include "flexor/pose/pose.h"

namespace flexor::pose {

/// Known programs disagree about append and IK; each dialect is one of them, whole.
/// docs/formats/mmd-solver.md lists every difference.
enum class MmdDialect : std::uint8_t {
  kUmt,      ///< "umt": consistent between IK and append
  kBabylon,  ///< "babylon", the default: nearest to MikuMikuDance where positions of it are known
  kSaba,     ///< "saba"
};

/// "umt", "babylon", "saba". Errors of the parse: kInvalidArgument listing the names.
FLEXOR_API std::string_view MmdDialectName(MmdDialect dialect);
FLEXOR_API Result<MmdDialect> ParseMmdDialect(std::string_view name);

/// How a character is solved.
struct MmdSettings {
  MmdDialect dialect = MmdDialect::kBabylon;
  bool ik = true;  ///< off: no chain runs, whatever the keys say
  /// Appends whose source was moved by a body are evaluated again after physics although their bone
  /// is not flagged so. Off, the flag alone decides. Without physics it changes nothing.
  bool append_again_after_physics = false;
  /// A chain whose bones stand as at rest towards its goal does not run, so that a character at
  /// rest is the one of the file: a chain may bend at rest, as its effector need not lie on the
  /// goal there, or its limits leave the rest pose out. Poser sets it where there is no clip.
  bool keep_rest = false;
};

/// What each stage made of a bone, for comparing two programs stage by stage. Of bones driven by
/// bodies, append and ik are those before physics.
/// Shapes  local, append, ik, before_physics, after_physics (bones)
struct MmdStages {
  std::vector<Transform> local{};   ///< keys and bone morphs, before fixed axis and append
  std::vector<Transform> append{};  ///< after fixed axis and append, before IK
  std::vector<Quatd> ik{};          ///< what IK turned, in the dialect's order; identity elsewhere
  std::vector<Mat34d> before_physics{};  ///< model_from_bone after the first pass
  std::vector<Mat34d> after_physics{};   ///< the same at the end
};

/// Called once between the passes with the matrices of all nodes; may rewrite those of bones driven
/// by bodies, and appends to `driven` which it wrote (MmdRig::bones indices; their children follow
/// by themselves). `driven` comes empty.
using MmdPhysicsFn =
    FunctionRef<void(std::vector<Mat34d>& model_from_node, std::vector<std::uint32_t>& driven)>;

/// Solves one character again and again without asking for memory: what never changes (the order of
/// bones, what depends on what) is worked out once. The frame is a pure function of the arguments
/// of Solve: nothing of an earlier one is left. Lifetime  the character must be finalised, have a
/// rig, and outlive the solver unchanged Threads   one at a time for one solver; solvers are
/// independent
class FLEXOR_API MmdSolver {
 public:
  explicit MmdSolver(const asset::Character& character);
  MmdSolver(MmdSolver&&) noexcept;
  MmdSolver& operator=(MmdSolver&&) noexcept;
  ~MmdSolver();

  /// Poses every node: spreads pose.mmd_morphs over groups, vertex morphs (added to
  /// pose.morph_weights of every instance of mesh 0, so a pose is solved once) and bones, then
  /// evaluates all bones, whose solved local transforms come back into pose.locals: composed, they
  /// are model_from_node. Nodes outside the rig are composed as ComputeModelSpace does.
  /// Shapes  pose is one of that character · model_from_node is resized to (nodes) · stages may be
  ///         nullptr · physics may be empty
  /// Cost    measured in docs/formats/mmd-solver.md
  void Solve(const MmdSettings& settings, Pose& pose, std::vector<Mat34d>& model_from_node,
             MmdPhysicsFn physics = {}, MmdStages* stages = nullptr);

  /// The weights of MmdRig::morphs after the last Solve, groups spread: what impulses go by.
  std::span<const double> morph_weights() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The same for one frame, with a solver made for it.
FLEXOR_API void SolveMmd(const asset::Character& character, const MmdSettings& settings, Pose& pose,
                         std::vector<Mat34d>& model_from_node, MmdStages* stages = nullptr);
FLEXOR_API void SolveMmd(const asset::Character& character, const MmdSettings& settings, Pose& pose,
                         MmdPhysicsFn physics, std::vector<Mat34d>& model_from_node,
                         MmdStages* stages = nullptr);

}  // namespace flexor::pose
