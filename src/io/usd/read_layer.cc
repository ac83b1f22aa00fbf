#include "io/usd/read_layer.h"

#include "io/rules.h"
#include "io/usd/usda.h"
#include "io/usd/usdc.h"

namespace flexor::io::usd {

Result<std::shared_ptr<const Layer>> ReadLayer(const SharedBytes& bytes,
                                               const std::string& identifier,
                                               std::shared_ptr<PathTable> paths,
                                               Diagnostics& diagnostics) {
  const std::string_view text = bytes.text();
  const bool is_binary = text.starts_with("PXR-USDC");
  if (!is_binary && !text.starts_with("#usda")) {
    return Error{ErrorCode::kUnknownFormat,
                 "this is no layer of USD: those start with '#usda' or 'PXR-USDC'",
                 {identifier, {}, {}}};
  }
  if (identifier.ends_with(is_binary ? ".usda" : ".usdc")) {
    Report(diagnostics, "USD_EXTENSION_MISLEADS", identifier,
           is_binary ? "the extension says text, the content is binary"
                     : "the extension says binary, the content is text");
  }
  FLEXOR_ASSIGN(auto layer, is_binary ? ReadUsdc(bytes, identifier, std::move(paths), diagnostics)
                                      : ReadUsda(text, identifier, std::move(paths), diagnostics));
  return std::shared_ptr<const Layer>(std::move(layer));
}

}  // namespace flexor::io::usd
