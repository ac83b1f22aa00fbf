/// @file io/usd/asset_path.h
/// What the names in @...@ mean: which files may be meant, seen from the layer that has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flexor/core/result.h"

namespace flexor::io::usd {

/// A file, or one inside of packages. Its text form is its name in all messages: "parts/arm.usda",
/// "a.usdz[b.usda]", "a.usdz[b.usdz[c.usda]]".
struct AssetName {
  /// Normalised names with `/`, at least one: the file, then the place in each package.
  std::vector<std::string> parts;

  std::string ToString() const;
  static AssetName Parse(std::string_view text);

  /// The package that it lies in has this name; empty parts for a plain file.
  AssetName package() const;
  const std::string& last() const { return parts.back(); }
  friend bool operator==(const AssetName&, const AssetName&) = default;
};

/// Whether a name says that it is a package.
bool IsPackageName(std::string_view name);

/// The files that `asset` may mean in the layer `from`, the likeliest first: relative to that
/// layer; and, unless it starts with "./" or "../", beside `root`, which is the root layer of the
/// package that `from` lies in, or of the stage. Inside a package nothing outside of it is meant.
/// Errors  kInvalidValue (it leads outside, is absolute, has control characters) ·
/// kUnsupportedFeature (a scheme, a variable expression, arguments of a file format)
Result<std::vector<AssetName>> MeaningsOf(std::string_view asset, const AssetName& from,
                                          const AssetName& root, bool allow_outside);

}  // namespace flexor::io::usd
