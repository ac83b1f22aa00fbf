#include "io/gltf/skins.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "io/rules.h"

namespace flexor::io::gltf {
namespace {

/// What the fourth row may be off by: rounding in some exporter, not a meaning.
constexpr double kRowTolerance = 1e-4;

std::string Number(double value) {
  std::string text = std::to_string(value);
  while (text.size() > 1 && text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

Result<Mat34d> AffineMatrix(const double (&m)[16], const std::string& place,
                            const std::string& what) {
  const auto is = [](double value, double wanted) {
    return std::abs(value - wanted) <= kRowTolerance;
  };
  if (!is(m[3], 0) || !is(m[7], 0) || !is(m[11], 0) || !is(m[15], 1)) {
    const bool transposed = is(m[12], 0) && is(m[13], 0) && is(m[14], 0) && is(m[15], 1);
    std::string message = what + " has the fourth row " + Number(m[3]) + ' ' + Number(m[7]) + ' ' +
                          Number(m[11]) + ' ' + Number(m[15]) + "; the fourth row must be 0 0 0 1";
    if (transposed) {
      message += "; the matrix looks transposed: glTF stores matrices column by column";
    }
    return Error{ErrorCode::kInvalidValue, std::move(message), {{}, place, std::nullopt}};
  }
  return Mat34d{{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}},
                {m[12], m[13], m[14]}};
}

Result<asset::Skin> ConvertSkin(const RawDocument& document, std::uint32_t index,
                                AccessorReader& accessors, MemoryBudget& budget,
                                Diagnostics& diagnostics) {
  const RawSkin& raw = document.skins[index];
  const std::string place = "/skins/" + std::to_string(index);
  asset::Skin skin;
  skin.name = raw.name;
  FLEXOR_TRY(budget.Charge(raw.joints.size(), sizeof(std::uint32_t) + sizeof(Mat34d),
                           "the joints of a skin"));
  skin.joints = raw.joints;
  skin.joint_from_mesh.resize(raw.joints.size());
  std::vector<std::uint32_t> sorted = raw.joints;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    Report(diagnostics, "DUPLICATE_ELEMENTS", place + "/joints",
           "node " + std::to_string(*twice) + " is listed more than once");
  }
  if (raw.inverse_bind_matrices == kNone) return skin;

  const auto accessor = static_cast<std::uint32_t>(raw.inverse_bind_matrices);
  const std::string where = place + "/inverseBindMatrices";
  FLEXOR_TRY(accessors.Expect(accessor, where, {ElementType::kMat4}, kFloat32));
  const std::uint64_t count = accessors.Raw(accessor).count;
  if (count < raw.joints.size()) {
    return Error{ErrorCode::kShapeMismatch,
                 std::to_string(count) + " inverse bind matrices for " +
                     std::to_string(raw.joints.size()) + " joints; each joint needs one",
                 {{}, where, std::nullopt}};
  }
  const std::int32_t view = accessors.Raw(accessor).view;
  if (view == kNone && !accessors.Raw(accessor).sparse) {
    Report(diagnostics, "SKIN_IBM_WITHOUT_DATA", where,
           "the accessor has no data, which would make every inverse bind "
           "matrix zero; identities were used");
    return skin;
  }
  if (view != kNone && document.views[static_cast<std::size_t>(view)].byte_stride != 0) {
    Report(diagnostics, "SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE", where,
           "the view of inverse bind matrices must have no stride; the stride "
           "was kept to");
  }
  FLEXOR_ASSIGN(const auto values, accessors.Floats(accessor, where));
  for (std::size_t j = 0; j < skin.joints.size(); ++j) {
    double m[16];
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(j * 16), 16, m);
    FLEXOR_ASSIGN(skin.joint_from_mesh[j],
                  AffineMatrix(m, where, "inverse bind matrix " + std::to_string(j)));
  }
  budget.Release(values.size() * sizeof(float));
  return skin;
}

}  // namespace flexor::io::gltf
