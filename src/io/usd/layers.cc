#include "io/usd/layers.h"

#include <algorithm>
#include <utility>

#include "io/rules.h"
#include "io/usd/read_layer.h"

namespace flexor::io::usd {
namespace {

/// The file, and packages in packages.
constexpr std::size_t kMostNested = 5;

/// Whether an error means that the load as a whole went too far, not that one file is bad.
bool StopsTheLoad(const Error& error) {
  return error.code == ErrorCode::kLimitExceeded || error.code == ErrorCode::kOutOfMemory;
}

/// The last part of a path, "layer.usd" when there is none.
std::string FileName(const std::string& path) {
  const std::size_t slash = path.find_last_of("/\\");
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return name.empty() ? "layer.usd" : name;
}

/// The path of a prim of the layer that has relocates; nothing when none has. The tree of specs is
/// walked without recursion: it may be deep.
const PrimSpec* FindRelocates(const Layer& layer) {
  std::vector<const PrimSpec*> waiting{&layer.root()};
  while (!waiting.empty()) {
    const PrimSpec* spec = waiting.back();
    waiting.pop_back();
    if (!spec->relocates.empty()) return spec;
    waiting.insert(waiting.end(), spec->children.begin(), spec->children.end());
    for (const VariantSetSpec& set : spec->variant_sets) {
      waiting.insert(waiting.end(), set.variants.begin(), set.variants.end());
    }
  }
  return nullptr;
}

}  // namespace

Layers::Layers(const std::string& root_path, const ResourceFn& resources,
               const LoadOptions& options, const ComposeLimits& limits,
               std::shared_ptr<PathTable> paths, MemoryBudget& budget, Diagnostics& diagnostics)
    : root_path_(root_path),
      resources_(resources),
      options_(options),
      limits_(limits),
      paths_(std::move(paths)),
      budget_(budget),
      diagnostics_(diagnostics) {
  root_name_.parts = {FileName(root_path)};
}

Result<const Layer*> Layers::OpenRoot(std::span<const std::byte> bytes) {
  files_[root_name_.last()].bytes = SharedBytes::Of({bytes.begin(), bytes.end()});
  FLEXOR_ASSIGN(root_name_, LayerIn(root_name_));
  const Slot& slot = OpenSlot(root_name_);
  FLEXOR_TRY(status_);
  if (slot.layer == nullptr) return *slot.error;
  return slot.layer.get();
}

Status Layers::RefuseUnsupported(const Layer& layer) const {
  const PrimSpec* relocated = FindRelocates(layer);
  if (relocated == nullptr) return {};
  return Error{ErrorCode::kUnsupportedFeature,
               "the layer has relocates, which flexor does not follow; flatten the stage first",
               {layer.identifier(), relocated->path.ToString(), {}}};
}

const Layers::File& Layers::ReadOnce(const std::string& name) {
  const auto [at, is_new] = files_.try_emplace(name);
  File& file = at->second;
  if (!is_new) return file;
  if (!resources_) {
    file.error = Error{ErrorCode::kFileNotFound, "no files can be had beside this one", {}};
    return file;
  }
  const std::uint64_t left = budget_.limit() - std::min(budget_.limit(), budget_.used());
  auto bytes = resources_(name, std::min(options_.limits.file_bytes, left));
  if (!bytes.ok()) {
    file.error = std::move(bytes).error();
    return file;
  }
  if (auto charged = budget_.Charge(bytes->size(), 1, "files of the stage"); !charged.ok()) {
    file.error = std::move(charged).error();
    return file;
  }
  file.bytes = SharedBytes::Of(*std::move(bytes));
  return file;
}

const Layers::OpenPackage& Layers::OpenOnce(const AssetName& package) {
  const auto [at, is_new] = packages_.try_emplace(package.ToString());
  OpenPackage& open = at->second;
  if (!is_new) return open;
  auto bytes = BytesOf(package);
  if (!bytes.ok()) {
    open.error = std::move(bytes).error();
    return open;
  }
  auto opened = Package::Open(*bytes, package.ToString(), budget_, diagnostics_);
  if (opened.ok()) {
    open.package = std::make_unique<Package>(*std::move(opened));
  } else {
    open.error = std::move(opened).error();
  }
  return open;
}

Result<SharedBytes> Layers::BytesOf(const AssetName& name) {
  if (name.parts.size() > kMostNested) {
    return Error{ErrorCode::kLimitExceeded,
                 "packages are nested more than " + std::to_string(kMostNested) + " deep",
                 {name.ToString(), {}, {}}};
  }
  if (name.parts.size() == 1) {
    const File& file = ReadOnce(name.last());
    if (file.error) return *file.error;
    return file.bytes;
  }
  const OpenPackage& open = OpenOnce(name.package());
  if (open.error) return *open.error;
  const SharedBytes* entry = open.package->Find(name.last());
  if (entry == nullptr) {
    return Error{
        ErrorCode::kFileNotFound, "the package has no such entry", {name.ToString(), {}, {}}};
  }
  return *entry;
}

Result<AssetName> Layers::LayerIn(AssetName name) {
  for (;;) {
    FLEXOR_ASSIGN(const SharedBytes bytes, BytesOf(name));
    if (!Package::HasMagic(bytes.data)) return name;
    const OpenPackage& open = OpenOnce(name);
    if (open.error) return *open.error;
    name.parts.push_back(open.package->first());
  }
}

const Layers::Slot& Layers::OpenSlot(const AssetName& name) {
  const std::string identifier = name.ToString();
  const auto [at, is_new] = slots_.try_emplace(identifier);
  Slot& slot = at->second;
  if (!is_new) return slot;
  const auto fail = [&](Error error) -> const Slot& {
    if (StopsTheLoad(error)) Stop(error);
    slot.error = std::move(error);
    return slot;
  };
  if (opened_.size() >= limits_.layers) {
    return fail(Error{ErrorCode::kLimitExceeded,
                      "the stage refers to more than " + std::to_string(limits_.layers) + " layers",
                      {identifier, {}, {}}});
  }
  auto bytes = BytesOf(name);
  if (!bytes.ok()) return fail(std::move(bytes).error());
  auto layer = ReadLayer(*bytes, identifier, paths_, diagnostics_);
  if (!layer.ok()) return fail(std::move(layer).error());
  if (auto supported = RefuseUnsupported(**layer); !supported.ok()) {
    Stop(supported);
    return fail(std::move(supported).error());
  }
  slot.layer = *std::move(layer);
  opened_.push_back(identifier);
  return slot;
}

AssetName Layers::RootFor(const AssetName& layer) {
  if (layer.parts.size() == 1) return root_name_.parts.size() == 1 ? root_name_ : AssetName{{""}};
  AssetName root = layer.package();
  const OpenPackage& open = OpenOnce(root);
  root.parts.push_back(open.package ? open.package->first() : std::string());
  return root;
}

const OpenedLayer& Layers::Open(std::string_view asset, std::string_view from) {
  const auto [at, is_new] = meanings_.try_emplace({std::string(from), std::string(asset)});
  OpenedLayer& opened = at->second;
  if (!is_new) return opened;
  opened.identifier = asset;
  const AssetName layer = AssetName::Parse(from);
  const auto meanings = MeaningsOf(asset, layer, RootFor(layer), options_.allow_outside);
  if (!meanings.ok()) {
    opened.code = meanings.error().code == ErrorCode::kUnsupportedFeature ? "USD_ASSET_UNSUPPORTED"
                                                                          : "USD_ASSET_OUTSIDE";
    opened.reason = meanings.error().message;
    return opened;
  }
  opened.identifier = meanings->front().ToString();
  opened.code = "USD_LAYER_NOT_FOUND";
  opened.reason = "there is no such file";
  for (const AssetName& meaning : *meanings) {
    auto name = LayerIn(meaning);
    const Error* error = nullptr;
    if (!name.ok()) {
      error = &name.error();
    } else {
      const Slot& slot = OpenSlot(*name);
      opened.identifier = name->ToString();
      if (slot.layer) {
        opened.layer = slot.layer.get();
        return opened;
      }
      error = &*slot.error;
    }
    if (error->code == ErrorCode::kFileNotFound) continue;
    if (StopsTheLoad(*error)) Stop(*error);
    opened.code =
        error->code == ErrorCode::kFileUnreadable ? "USD_LAYER_UNREADABLE" : "USD_LAYER_BROKEN";
    opened.reason = error->ToString();
    return opened;
  }
  return opened;
}

Result<std::vector<std::byte>> Layers::Read(std::string_view asset, std::string_view from) {
  const AssetName layer = AssetName::Parse(from);
  FLEXOR_ASSIGN(const auto meanings,
                MeaningsOf(asset, layer, RootFor(layer), options_.allow_outside));
  for (const AssetName& meaning : meanings) {
    auto bytes = BytesOf(meaning);
    if (bytes.ok()) {
      FLEXOR_TRY(budget_.Charge(bytes->data.size(), 1, "a picture"));
      return std::vector<std::byte>(bytes->data.begin(), bytes->data.end());
    }
    if (bytes.error().code != ErrorCode::kFileNotFound) return std::move(bytes).error();
  }
  return Error{
      ErrorCode::kFileNotFound, "there is no such file", {meanings.front().ToString(), {}, {}}};
}

}  // namespace flexor::io::usd
