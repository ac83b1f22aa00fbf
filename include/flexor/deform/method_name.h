/// @file deform/method_name.h
/// Methods as people write them: "lbs", "dqs:usd". One table behind every parser, list and help.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/asset/skinning_method.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/deform/settings.h"

namespace flexor::deform {

/// What a name asks for.
struct NamedMethod {
  std::optional<asset::SkinningMethod> method{};  ///< none: what the file asks for
  std::string_view variant{};  ///< what stands after the colon, or empty: as the settings say
  std::string_view setting{};  ///< what a variant decides, in words; empty without one
};

/// "file" for none, else "lbs", "dqs", "sdef"; "mixed" for what only a file can ask for.
FLEXOR_API std::string_view MethodName(std::optional<asset::SkinningMethod> method);

/// METHOD or METHOD:VARIANT. Errors  kInvalidArgument listing the names
FLEXOR_API Result<NamedMethod> ParseMethod(std::string_view text);

/// Takes the variant, where the name has one, into the settings; changes nothing else of them.
FLEXOR_API void ApplyVariant(const NamedMethod& named, DeformSettings& settings);

/// One method with all its variants, for help.
struct MethodEntry {
  std::string_view name{};
  std::string_view summary{};  ///< half a sentence
  std::vector<std::string_view> variants{};
};
/// Everything that ParseMethod knows, in the order of the method table.
FLEXOR_API std::vector<MethodEntry> ListMethods();

/// "file[:vertex|origin|usd], lbs, ...": ListMethods in one line.
FLEXOR_API std::string MethodSyntax();

}  // namespace flexor::deform
