#include "flexor/deform/method_name.h"

#include <iterator>

#include "core/guard.h"
#include "deform/method_table.h"

namespace flexor::deform {
namespace {

template <class Value>
struct Named {
  Value value;
  std::string_view name;
};

constexpr Named<DqsResidual> kResiduals[] = {
    {DqsResidual::kVertex, "vertex"}, {DqsResidual::kOrigin, "origin"}, {DqsResidual::kUsd, "usd"}};
constexpr Named<SdefMode> kModes[] = {
    {SdefMode::kOn, "on"}, {SdefMode::kOff, "off"}, {SdefMode::kAuthor, "author"}};
constexpr Named<SdefRotation> kRotations[] = {{SdefRotation::kSlerp, "slerp"},
                                              {SdefRotation::kNlerp, "nlerp"}};

template <class Value, std::size_t N>
std::string_view NameOf(const Named<Value> (&all)[N], Value value) {
  for (const Named<Value>& named : all) {
    if (named.value == value) return named.name;
  }
  return "unknown";
}

Error Unknown(std::string_view what, std::string_view name, const std::string& known) {
  return Error{
      ErrorCode::kInvalidArgument,
      "there is no " + std::string(what) + " '" + std::string(name) + "'; there are: " + known,
      {}};
}

template <class Value, std::size_t N>
Result<Value> Parse(const Named<Value> (&all)[N], std::string_view what, std::string_view name) {
  return GuardAllocations("a name was read", [&]() -> Result<Value> {
    std::string known;
    for (const Named<Value>& named : all) {
      if (named.name == name) return named.value;
      known += (known.empty() ? "" : ", ") + std::string(named.name);
    }
    return Unknown(what, name, known);
  });
}

constexpr std::string_view kFileName = "file";
constexpr std::string_view kFileSummary = "what the file asks for, per vertex where it says so";

/// What the file asks for may be dual quaternions.
const MethodVariants* VariantsOf(std::optional<asset::SkinningMethod> method) {
  return method ? RowOf(*method).variants : &kDqsResiduals;
}

MethodEntry EntryOf(std::optional<asset::SkinningMethod> method) {
  MethodEntry entry{MethodName(method), method ? RowOf(*method).summary : kFileSummary, {}};
  if (const MethodVariants* const variants = VariantsOf(method)) {
    for (std::size_t i = 0; i < variants->count; ++i) entry.variants.push_back(variants->name(i));
  }
  return entry;
}

/// All that can be asked for by name.
std::vector<std::optional<asset::SkinningMethod>> Askable() {
  std::vector<std::optional<asset::SkinningMethod>> out{std::nullopt};
  for (const MethodRow& row : MethodTable()) {
    if (!row.summary.empty()) out.emplace_back(row.method);
  }
  return out;
}

}  // namespace

const MethodVariants kDqsResiduals{
    "dual-quaternion residual", std::size(kResiduals),
    [](std::size_t i) { return kResiduals[i].name; },
    [](std::size_t i, DeformSettings& settings) { settings.dqs.residual = kResiduals[i].value; }};
const MethodVariants kSdefRotations{
    "spherical rotation", std::size(kRotations), [](std::size_t i) { return kRotations[i].name; },
    [](std::size_t i, DeformSettings& settings) { settings.sdef.rotation = kRotations[i].value; }};

std::string_view MethodName(std::optional<asset::SkinningMethod> method) {
  return method ? RowOf(*method).name : kFileName;
}

Result<NamedMethod> ParseMethod(std::string_view text) {
  return GuardAllocations("a name was read", [&]() -> Result<NamedMethod> {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    for (const std::optional<asset::SkinningMethod> method : Askable()) {
      if (MethodName(method) != name) continue;
      if (colon == text.npos) return NamedMethod{method, {}, {}};
      const std::string_view variant = text.substr(colon + 1);
      const MethodVariants* const variants = VariantsOf(method);
      if (variants == nullptr) {
        return Error{ErrorCode::kInvalidArgument,
                     "the method '" + std::string(name) + "' has no variants, so '" +
                         std::string(text) + "' means nothing",
                     {}};
      }
      std::string known;
      for (std::size_t i = 0; i < variants->count; ++i) {
        if (variants->name(i) == variant) {
          return NamedMethod{method, variants->name(i), variants->setting};
        }
        known += (known.empty() ? "" : ", ") + std::string(variants->name(i));
      }
      return Unknown(variants->setting, variant, known);
    }
    return Unknown("method", name, MethodSyntax());
  });
}

void ApplyVariant(const NamedMethod& named, DeformSettings& settings) {
  const MethodVariants* const variants = VariantsOf(named.method);
  if (variants == nullptr) return;
  for (std::size_t i = 0; i < variants->count; ++i) {
    if (variants->name(i) == named.variant) variants->set(i, settings);
  }
}

std::vector<MethodEntry> ListMethods() {
  std::vector<MethodEntry> out;
  for (const std::optional<asset::SkinningMethod> method : Askable()) {
    out.push_back(EntryOf(method));
  }
  return out;
}

std::string MethodSyntax() {
  std::string out;
  for (const MethodEntry& entry : ListMethods()) {
    out += (out.empty() ? "" : ", ") + std::string(entry.name);
    for (std::size_t i = 0; i < entry.variants.size(); ++i) {
      out += (i == 0 ? "[:" : "|") + std::string(entry.variants[i]);
    }
    if (!entry.variants.empty()) out += "]";
  }
  return out;
}

std::string_view DqsResidualName(DqsResidual residual) { return NameOf(kResiduals, residual); }
Result<DqsResidual> ParseDqsResidual(std::string_view name) {
  return Parse(kResiduals, kDqsResiduals.setting, name);
}

std::string_view SdefModeName(SdefMode mode) { return NameOf(kModes, mode); }
Result<SdefMode> ParseSdefMode(std::string_view name) {
  return Parse(kModes, "spherical mode", name);
}

std::string_view SdefRotationName(SdefRotation rotation) { return NameOf(kRotations, rotation); }
Result<SdefRotation> ParseSdefRotation(std::string_view name) {
  return Parse(kRotations, kSdefRotations.setting, name);
}

}  // namespace flexor::deform
