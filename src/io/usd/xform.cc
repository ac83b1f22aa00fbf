#include "io/usd/xform.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>

#include "io/rules.h"
#include "io/usd/attribute.h"
#include "io/usd/numeric.h"

namespace flexor::io::usd {
namespace {

constexpr std::string_view kXformableTypes[] = {
    "Xform",          "SkelRoot",      "Skeleton",
    "Mesh",           "Points",        "BasisCurves",
    "NurbsCurves",    "HermiteCurves", "NurbsPatch",
    "PointInstancer", "TetMesh",       "Cube",
    "Sphere",         "Cylinder",      "Cylinder_1",
    "Capsule",        "Capsule_1",     "Cone",
    "Plane",          "Volume",        "Camera",
    "DistantLight",   "DiskLight",     "RectLight",
    "SphereLight",    "CylinderLight", "DomeLight",
    "DomeLight_1",    "GeometryLight", "PortalLight",
    "PluginLight",    "LightFilter",   "PluginLightFilter"};

constexpr std::string_view kReset = "!resetXformStack!";
constexpr std::string_view kInverse = "!invert!";
constexpr std::string_view kPrefix = "xformOp:";

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

Mat3d RotationAbout(char axis, double degrees) {
  const double radians = degrees * (std::numbers::pi / 180);
  const double c = std::cos(radians), s = std::sin(radians);
  if (axis == 'X') return {{1, 0, 0}, {0, c, s}, {0, -s, c}};
  if (axis == 'Y') return {{c, 0, -s}, {0, 1, 0}, {s, 0, c}};
  return {{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
}

double OnAxis(Vec3d angles, char axis) {
  return axis == 'X' ? angles.x : axis == 'Y' ? angles.y : angles.z;
}

/// The rotation of an orient operation: the angle from the real part, the axis from the rest,
/// whatever their length.
Mat3d Orientation(Quatd q) {
  const Vec3d imaginary{q.x, q.y, q.z};
  const double length = Length(imaginary);
  if (!(length > 1e-10)) return {};
  const double angle = 2 * std::acos(std::clamp(q.w, -1.0, 1.0));
  return ToMat3(FromAxisAngle(imaginary, angle));
}

/// "translateX" and its like: the axis, or nothing.
std::optional<char> AxisOf(std::string_view kind, std::string_view stem) {
  if (kind.size() != stem.size() + 1 || !StartsWith(kind, stem)) return {};
  const char axis = kind.back();
  if (axis < 'X' || axis > 'Z') return {};
  return axis;
}

Vec3d Along(char axis, double amount, double others) {
  return {axis == 'X' ? amount : others, axis == 'Y' ? amount : others,
          axis == 'Z' ? amount : others};
}

Mat34d Scaling(Vec3d scale) { return {{{scale.x, 0, 0}, {0, scale.y, 0}, {0, 0, scale.z}}, {}}; }

constexpr std::string_view kOrders[] = {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"};

std::optional<std::string_view> OrderOf(std::string_view kind) {
  if (!StartsWith(kind, "rotate")) return {};
  const auto* found = std::find(std::begin(kOrders), std::end(kOrders), kind.substr(6));
  if (found == std::end(kOrders)) return {};
  return *found;
}

/// What one operation does, or nothing when its value has the wrong type.
std::optional<Mat34d> MatrixOf(std::string_view kind, const Value& value) {
  if (kind == "transform") return AsMatrix(value);
  if (kind == "orient") {
    const auto q = AsQuat(value);
    if (!q) return {};
    return Mat34d{Orientation(*q), {}};
  }
  if (kind == "translate" || kind == "scale") {
    const auto v = AsVec3(value);
    if (!v) return {};
    return kind == "scale" ? Scaling(*v) : Mat34d{{}, *v};
  }
  if (const auto order = OrderOf(kind)) {
    const auto angles = AsVec3(value);
    if (!angles) return {};
    // The first letter turns the point first.
    Mat3d rotation;
    for (const char axis : *order) rotation = RotationAbout(axis, OnAxis(*angles, axis)) * rotation;
    return Mat34d{rotation, {}};
  }
  const auto number = AsNumber(value);
  if (!number) return {};
  if (const auto axis = AxisOf(kind, "rotate")) return Mat34d{RotationAbout(*axis, *number), {}};
  if (const auto axis = AxisOf(kind, "translate")) return Mat34d{{}, Along(*axis, *number, 0)};
  if (const auto axis = AxisOf(kind, "scale")) return Scaling(Along(*axis, *number, 1));
  return {};
}

bool IsKnown(std::string_view kind) {
  return kind == "transform" || kind == "orient" || kind == "translate" || kind == "scale" ||
         OrderOf(kind) || AxisOf(kind, "rotate") || AxisOf(kind, "translate") ||
         AxisOf(kind, "scale");
}

}  // namespace

bool IsXformable(Token type_name) {
  return std::find(std::begin(kXformableTypes), std::end(kXformableTypes), type_name.text()) !=
         std::end(kXformableTypes);
}

bool IsImageable(Token type_name) { return IsXformable(type_name) || type_name == "Scope"; }

Result<Xform> Xform::Of(const Stage& stage, const StagePrim& prim, MemoryBudget& budget,
                        Diagnostics& diagnostics) {
  Xform xform;
  const Property order_property = stage.FindProperty(prim, "xformOpOrder");
  if (order_property.empty()) return xform;
  FLEXOR_ASSIGN(const Value order_value, DefaultValue(order_property, budget));
  const auto order = AsTokens(order_value);
  if (!order || order->empty()) return xform;
  const std::string where = prim.path.ToString();
  if (!IsXformable(prim.type_name)) {
    Report(diagnostics, "USD_XFORM_IGNORED", where,
           "a prim of type '" + prim.type_name.str() +
               "' has no transform; its xformOpOrder is "
               "not used");
    return xform;
  }
  for (const Token& entry : *order) {
    std::string_view name = entry.text();
    if (name == kReset) {
      xform.resets_ = true;
      xform.operations_.clear();
      continue;
    }
    Operation operation;
    operation.inverse = StartsWith(name, kInverse);
    if (operation.inverse) name.remove_prefix(kInverse.size());
    std::string_view kind = name;
    if (StartsWith(kind, kPrefix)) kind.remove_prefix(kPrefix.size());
    kind = kind.substr(0, kind.find(':'));
    operation.attribute = stage.FindProperty(prim, name);
    operation.kind = stage.paths().Intern(kind);
    if (!StartsWith(name, kPrefix) || !IsKnown(kind) || operation.attribute.empty()) {
      Report(diagnostics, "USD_XFORM_OP", where,
             "the operation '" + entry.str() + "' is left out: " +
                 (operation.attribute.empty() ? "the prim has no such attribute"
                                              : "no transform operation is called that"));
      continue;
    }
    xform.operations_.push_back(std::move(operation));
  }
  return xform;
}

Result<Mat34d> Xform::At(std::optional<double> time, MemoryBudget& budget,
                         Diagnostics& diagnostics) const {
  Mat34d matrix;
  for (const Operation& operation : operations_) {
    FLEXOR_ASSIGN(const Value value,
                  time ? ValueAt(operation.attribute, *time, Between::kLinear, budget)
                       : DefaultValue(operation.attribute, budget));
    if (value.empty()) continue;
    auto one = MatrixOf(operation.kind.text(), value);
    const auto complain = [&](const char* why) {
      Report(diagnostics, "USD_XFORM_OP", operation.attribute.path.ToString(),
             std::string("the operation is left out: ") + why);
    };
    if (!one) {
      complain("its value has the wrong type");
      continue;
    }
    if (const RowMatrix4d* row = value.Get<RowMatrix4d>(); row != nullptr && !IsAffine(*row)) {
      complain("its last column is not 0 0 0 1");
      continue;
    }
    if (operation.inverse) {
      if (std::abs(Determinant(one->linear)) < 1e-9) {
        complain("it is to be inverted, and has no inverse");
        continue;
      }
      *one = Inverse(*one);
    }
    matrix = matrix * *one;
  }
  return matrix;
}

std::vector<double> Xform::SampleTimes() const {
  std::vector<double> times;
  for (const Operation& operation : operations_) {
    const std::vector<double> more = usd::SampleTimes(operation.attribute);
    times.insert(times.end(), more.begin(), more.end());
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

Result<Mat34d> WorldFromPrim(const Stage& stage, const StagePrim& prim, std::optional<double> time,
                             MemoryBudget& budget, Diagnostics& diagnostics) {
  Mat34d world_from_prim;
  for (const StagePrim* at = &prim; at->parent >= 0;
       at = &stage[static_cast<std::size_t>(at->parent)]) {
    FLEXOR_ASSIGN(const Xform xform, Xform::Of(stage, *at, budget, diagnostics));
    FLEXOR_ASSIGN(const Mat34d local, xform.At(time, budget, diagnostics));
    world_from_prim = local * world_from_prim;
    if (xform.resets()) break;
  }
  return world_from_prim;
}

}  // namespace flexor::io::usd
