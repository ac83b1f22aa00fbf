#include "io/usd/metadata_types.h"

#include <algorithm>
#include <iterator>

namespace flexor::io::usd {
namespace {

using T = ValueType;

// In alphabetical order. References, payloads, inherits and the like have members of their own in
// the specs and are not here.
constexpr MetadataType kTypes[] = {
    {"active", T::kBool},
    {"allowedTokens", T::kToken, true},
    {"arraySizeConstraint", T::kInt64},
    {"assetInfo", T::kDictionary},
    {"bindMaterialAs", T::kToken},
    {"clipSets", T::kStringListOp},
    {"clips", T::kDictionary},
    {"colorConfiguration", T::kAsset},
    {"colorManagementSystem", T::kToken},
    {"colorSpace", T::kToken},
    {"comment", T::kString},
    {"connectability", T::kToken},
    {"constraintTargetIdentifier", T::kToken},
    {"customData", T::kDictionary},
    {"customLayerData", T::kDictionary},
    {"defaultPrim", T::kToken},
    {"displayGroup", T::kString},
    {"displayGroupOrder", T::kString, true},
    {"displayName", T::kString},
    {"documentation", T::kString},
    {"elementSize", T::kInt},
    {"endFrame", T::kDouble},
    {"endTimeCode", T::kDouble},
    {"expressionVariables", T::kDictionary},
    {"fallbackPrimTypes", T::kDictionary},
    {"framePrecision", T::kInt},
    {"framesPerSecond", T::kDouble},
    {"hasOwnedSubLayers", T::kBool},
    {"hidden", T::kBool},
    {"inactiveIds", T::kInt64ListOp},
    {"instanceable", T::kBool},
    {"interpolation", T::kToken},
    {"kilogramsPerUnit", T::kDouble},
    {"kind", T::kToken},
    {"limits", T::kDictionary},
    {"metersPerUnit", T::kDouble},
    {"noLoadHint", T::kBool},
    {"outputName", T::kToken},
    {"owner", T::kString},
    {"payloadAssetDependencies", T::kAsset, true},
    {"permission", T::kPermission},
    {"prefix", T::kString},
    {"prefixSubstitutions", T::kDictionary},
    {"renderSettingsPrimPath", T::kString},
    {"renderType", T::kToken},
    {"sdrMetadata", T::kDictionary},
    {"sessionOwner", T::kString},
    {"startFrame", T::kDouble},
    {"startTimeCode", T::kDouble},
    {"suffix", T::kString},
    {"suffixSubstitutions", T::kDictionary},
    {"symmetricPeer", T::kString},
    {"symmetryArguments", T::kDictionary},
    {"symmetryFunction", T::kToken},
    {"timeCodesPerSecond", T::kDouble},
    {"uiHints", T::kDictionary},
    {"unauthoredValuesIndex", T::kInt},
    {"upAxis", T::kToken},
    {"weight", T::kFloat},
};
static_assert(std::ranges::is_sorted(kTypes, {}, &MetadataType::key));

}  // namespace

const MetadataType* FindMetadataType(std::string_view key) {
  const auto* found = std::ranges::lower_bound(kTypes, key, {}, &MetadataType::key);
  return found != std::end(kTypes) && found->key == key ? found : nullptr;
}

}  // namespace flexor::io::usd
