#include "io/usd/asset_path.h"

#include <algorithm>
#include <utility>

#include "io/uri.h"

namespace flexor::io::usd {
namespace {

/// The folder of a name, with the slash; empty for a bare name.
std::string_view FolderOf(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash + 1);
}

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

/// Cuts "a.usdz[b.usda]" into its parts; one part when it has no such form.
std::vector<std::string_view> CutPackages(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t open; !text.empty() && text.back() == ']' &&
                         (open = text.find('[')) != std::string_view::npos && open != 0;) {
    parts.push_back(text.substr(0, open));
    text = text.substr(open + 1, text.size() - open - 2);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace

std::string AssetName::ToString() const {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : "[") + parts[i];
  return text.append(parts.empty() ? 0 : parts.size() - 1, ']');
}

AssetName AssetName::Parse(std::string_view text) {
  AssetName name;
  for (const std::string_view part : CutPackages(text)) name.parts.emplace_back(part);
  return name;
}

AssetName AssetName::package() const {
  AssetName name = *this;
  name.parts.pop_back();
  return name;
}

bool IsPackageName(std::string_view name) {
  constexpr std::string_view kExtension = ".usdz";
  if (name.size() < kExtension.size()) return false;
  return std::equal(kExtension.begin(), kExtension.end(), name.end() - kExtension.size(),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + 32 : b); });
}

Result<std::vector<AssetName>> MeaningsOf(std::string_view asset, const AssetName& from,
                                          const AssetName& root, bool allow_outside) {
  const auto unsupported = [&](const char* what) {
    return Error{ErrorCode::kUnsupportedFeature,
                 "@" + std::string(asset) + "@ " + what + "; flatten the stage first",
                 {}};
  };
  if (asset.find('`') != std::string_view::npos) return unsupported("is a variable expression");
  if (asset.find(":SDF_FORMAT_ARGS:") != std::string_view::npos) {
    return unsupported("has arguments of a file format");
  }
  if (asset.empty()) return Error{ErrorCode::kInvalidValue, "an asset path is empty", {}};

  const bool in_package = from.parts.size() > 1;
  std::string written(asset);
  std::replace(written.begin(), written.end(), '\\', '/');
  const std::vector<std::string_view> parts = CutPackages(written);
  const bool is_relative = StartsWith(written, "./") || StartsWith(written, "../");
  const bool is_absolute = StartsWith(written, "/");

  std::vector<std::string> folders{std::string(is_absolute ? "" : FolderOf(from.last()))};
  if (!is_relative && !is_absolute) folders.emplace_back(FolderOf(root.last()));
  std::vector<AssetName> meanings;
  Error refused;
  for (const std::string& folder : folders) {
    AssetName name = in_package ? from.package() : AssetName();
    auto first = ResolveName(folder + std::string(parts[0]), allow_outside && !in_package);
    if (!first.ok()) {
      refused = std::move(first).error();
      continue;
    }
    name.parts.push_back(*std::move(first));
    for (std::size_t i = 1; i < parts.size(); ++i) {
      FLEXOR_ASSIGN(std::string inner, ResolveName(parts[i], false));
      name.parts.push_back(std::move(inner));
    }
    if (std::find(meanings.begin(), meanings.end(), name) == meanings.end()) {
      meanings.push_back(std::move(name));
    }
  }
  if (meanings.empty()) return refused;
  return meanings;
}

}  // namespace flexor::io::usd
