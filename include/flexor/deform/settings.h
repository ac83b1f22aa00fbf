/// @file deform/settings.h
/// How a mesh is to be deformed: decided once, when the plan is built.
#pragma once

#include <cstdint>
#include <string_view>

#include "flexor/asset/weights.h"
#include "flexor/core/result.h"

namespace flexor::deform {

/// How vertices are skinned.
enum class Method : std::uint8_t {
  kFile,  ///< what the file asks for, per vertex where it says so; the default
  kLbs,   ///< linear blending for every vertex
  kDqs,   ///< dual quaternions for every vertex
};

/// "file", "lbs", "dqs". Errors of the parse: kInvalidArgument listing the names.
std::string_view MethodName(Method method);
Result<Method> ParseMethod(std::string_view name);

/// Where the scale and shear of a joint act in dual-quaternion blending.
enum class DqsResidual : std::uint8_t {
  kVertex,  ///< blended about the vertex: moving the character moves the result (default)
  kOrigin,  ///< blended about the mesh origin by Gram-Schmidt, as in seed 001
  kUsd,     ///< blended about the mesh origin by the polar form; joints that cannot be factored are
            ///< left out, as OpenUSD does
};

/// "vertex", "origin", "usd".
std::string_view DqsResidualName(DqsResidual residual);
Result<DqsResidual> ParseDqsResidual(std::string_view name);

/// How normals follow linear blending.
enum class NormalMode : std::uint8_t {
  kCofactor,  ///< cofactor of the blended 3x3: right under scale, finite when singular
  kNone,      ///< no normals are computed even when the mesh has them
};

/// In which order results come back.
enum class OutputOrder : std::uint8_t {
  kCaller,  ///< the mesh's own point order (default)
  kPlan,    ///< the plan's block order, with DeformPlan::caller_from_plan and reindexed triangles;
            ///< saves the scatter
};

/// All choices of a plan. The defaults are what a file asks for, repaired.
struct DeformSettings {
  Method method = Method::kFile;
  DqsResidual dqs_residual = DqsResidual::kVertex;
  NormalMode normals = NormalMode::kCofactor;
  OutputOrder order = OutputOrder::kCaller;
  asset::WeightPolicy weights;
};

}  // namespace flexor::deform
