/// @file io/usd/layers.h
/// The files of one load: finds what asset paths mean, opens each layer once, and lets none of it
/// leave the folder of the root file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flexor/core/diagnostic.h"
#include "flexor/io/load.h"

#include "io/usd/asset_path.h"
#include "io/usd/compose_limits.h"
#include "io/usd/layer.h"
#include "io/usd/package.h"
#include "io/usd/shared_bytes.h"

namespace flexor::io::usd {

/// What became of an asset path that should lead to a layer.
struct OpenedLayer {
  const Layer* layer = nullptr;  ///< null: `code` and `reason` say why
  std::string identifier;        ///< what was opened, or would have been
  std::string_view code;         ///< of the diagnostic
  std::string reason;            ///< "there is no file of that name", …
};

/// See the file comment. Layers are named by their place below the folder of the root file
/// ("parts/arm.usda"), those in a package by the package and their place in it ("a.usdz[b.usda]").
/// A name that starts with "./" or "../" is relative to the layer that has it; another one is tried
/// there first, then beside the root layer.
class Layers {
 public:
  /// All references must outlive it. `root_path` is used in messages, and its last part names the
  /// root layer.
  Layers(const std::string& root_path, const ResourceFn& resources, const LoadOptions& options,
         const ComposeLimits& limits, std::shared_ptr<PathTable> paths, MemoryBudget& budget,
         Diagnostics& diagnostics);

  /// Errors  those of the parsers
  Result<const Layer*> OpenRoot(std::span<const std::byte> bytes);
  /// Opens what the layer `from` calls `asset`, once.
  const OpenedLayer& Open(std::string_view asset, std::string_view from);
  /// The bytes of another file, such as a picture, that the layer `from` names.
  /// Errors  kFileNotFound · kFileUnreadable · kInvalidValue (it leads outside) ·
  /// kUnsupportedFeature · kLimitExceeded
  Result<std::vector<std::byte>> Read(std::string_view asset, std::string_view from);

  /// Identifiers of all layers that were opened, the root first.
  const std::vector<std::string>& opened() const { return opened_; }
  /// A limit that was exceeded, which stops the load: look at it after Open.
  const Status& status() const { return status_; }
  const std::string& root_path() const { return root_path_; }

 private:
  /// What was read once, or why it could not be.
  struct File {
    SharedBytes bytes;
    std::optional<Error> error;
  };
  struct OpenPackage {
    std::unique_ptr<Package> package;
    std::optional<Error> error;
  };
  struct Slot {
    std::shared_ptr<const Layer> layer;
    std::optional<Error> error;
  };

  const File& ReadOnce(const std::string& name);
  const OpenPackage& OpenOnce(const AssetName& package);
  Result<SharedBytes> BytesOf(const AssetName& name);
  /// A package stands for its first entry; anything else for itself.
  Result<AssetName> LayerIn(AssetName name);
  const Slot& OpenSlot(const AssetName& name);
  /// The root layer of the package that a layer lies in, or of the stage.
  AssetName RootFor(const AssetName& layer);
  Status RefuseUnsupported(const Layer& layer) const;
  void Stop(const Status& status) {
    if (status_.ok()) status_ = status;
  }

  std::string root_path_;
  AssetName root_name_;
  const ResourceFn& resources_;
  const LoadOptions& options_;
  const ComposeLimits& limits_;
  std::shared_ptr<PathTable> paths_;
  MemoryBudget& budget_;
  Diagnostics& diagnostics_;
  Status status_;
  std::map<std::string, File> files_;
  std::map<std::string, OpenPackage> packages_;
  std::map<std::string, Slot> slots_;
  std::vector<std::string> opened_;
  std::map<std::pair<std::string, std::string>, OpenedLayer> meanings_;  ///< (from, asset)
};

}  // namespace flexor::io::usd
