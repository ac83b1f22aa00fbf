#include "flexor/deform/settings.h"

#include <algorithm>
#include <string>

namespace flexor::deform {
namespace {

template <class Value>
struct Named {
  Value value;
  std::string_view name;
};

constexpr Named<Method> kMethods[] = {
    {Method::kFile, "file"}, {Method::kLbs, "lbs"}, {Method::kDqs, "dqs"}, {Method::kSdef, "sdef"}};
constexpr Named<DqsResidual> kResiduals[] = {
    {DqsResidual::kVertex, "vertex"}, {DqsResidual::kOrigin, "origin"}, {DqsResidual::kUsd, "usd"}};
constexpr Named<SdefMode> kSdefModes[] = {
    {SdefMode::kOn, "on"}, {SdefMode::kOff, "off"}, {SdefMode::kAuthor, "author"}};
constexpr Named<SdefRotation> kSdefRotations[] = {{SdefRotation::kSlerp, "slerp"},
                                                  {SdefRotation::kNlerp, "nlerp"}};

template <class Value, std::size_t N>
std::string_view NameOf(const Named<Value> (&all)[N], Value value) {
  for (const Named<Value>& named : all) {
    if (named.value == value) return named.name;
  }
  return "unknown";
}

template <class Value, std::size_t N>
Result<Value> Parse(const Named<Value> (&all)[N], std::string_view what, std::string_view name) {
  std::string known;
  for (const Named<Value>& named : all) {
    if (named.name == name) return named.value;
    known += (known.empty() ? "" : ", ") + std::string(named.name);
  }
  return Error{
      ErrorCode::kInvalidArgument,
      "there is no " + std::string(what) + " '" + std::string(name) + "'; there are: " + known,
      {}};
}

}  // namespace

std::string_view MethodName(Method method) { return NameOf(kMethods, method); }
Result<Method> ParseMethod(std::string_view name) { return Parse(kMethods, "method", name); }

std::string_view DqsResidualName(DqsResidual residual) { return NameOf(kResiduals, residual); }
Result<DqsResidual> ParseDqsResidual(std::string_view name) {
  return Parse(kResiduals, "dual-quaternion residual", name);
}

std::string_view SdefModeName(SdefMode mode) { return NameOf(kSdefModes, mode); }
Result<SdefMode> ParseSdefMode(std::string_view name) {
  return Parse(kSdefModes, "spherical mode", name);
}

std::string_view SdefRotationName(SdefRotation rotation) {
  return NameOf(kSdefRotations, rotation);
}
Result<SdefRotation> ParseSdefRotation(std::string_view name) {
  return Parse(kSdefRotations, "spherical rotation", name);
}

bool DerivesSdef(const DeformSettings& settings) {
  const auto derives = [&](Method method) {
    return method == Method::kSdef ||
           (method == Method::kFile && settings.sdef == SdefMode::kAuthor);
  };
  return derives(settings.method) ||
         std::any_of(settings.material_methods.begin(), settings.material_methods.end(),
                     [&](const MaterialMethod& m) { return derives(m.method); });
}

}  // namespace flexor::deform
