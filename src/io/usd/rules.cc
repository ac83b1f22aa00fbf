// Every diagnostic that reading USD can emit.

#include "io/rules.h"

namespace flexor::io::usd {
namespace {

constexpr Severity E = Severity::kError;
constexpr Severity W = Severity::kWarning;
constexpr RuleOrigin F = RuleOrigin::kFlexor;

// Sorted by code.
constexpr Rule kRules[] = {
    {"USD_CHILDREN_DISAGREE", W, F,
     "a binary layer lists children that it does not have, or has some that it does not list"},
    {"USD_EXTENSION_MISLEADS", W, F, "the extension of a layer says text or binary wrongly",
     "name text .usda and binary .usdc, or either .usd"},
    {"USD_FIELD_IGNORED", E, F,
     "a field of a binary layer has a broken value or one of the wrong type; it is left out"},
    {"USD_PACKAGE_CHECKSUM", W, F,
     "the checksum of a layer in a package is wrong; the layer may be damaged",
     "write the package anew"},
    {"USD_PACKAGE_MISALIGNED", W, F,
     "entries of a package do not start at multiples of 64 bytes, as they must; they are read all "
     "the same",
     "write the package anew"},
    {"USD_SPEC_DROPPED", E, F, "a binary layer has a spec without a parent; it is left out"},
    {"USD_TARGET_SKIPPED", W, F,
     "a target points into the targets of another property, an old form; it is left out"},
    {"USD_TEXT_REPAIRED", W, F, "a text of a binary layer is not UTF-8; bad bytes became U+FFFD"},
    {"USD_VARIANT_REPEATED", W, F,
     "a layer writes a variant twice; both count, the later one where they differ"},
};

}  // namespace

std::span<const Rule> Rules() { return kRules; }

}  // namespace flexor::io::usd
