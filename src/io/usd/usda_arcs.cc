// What a prim is composed of: references, payloads, inherits, specializes, variants.

#include <cmath>
#include <utility>

#include "io/usd/usda_parser.h"

namespace flexor::io::usd {

bool UsdaParser::ParseArc(PrimSpec& prim, ListEdit edit, std::string_view key, bool& out_is_arc) {
  out_is_arc = true;
  cursor_.SkipBlanks();
  const Mark at = cursor_.mark();
  if (key == "references") return ParseReferences(prim.references, edit, false);
  if (key == "payload") return ParseReferences(prim.payloads, edit, true);
  if (key == "inherits") return ParseClassPaths(prim.inherits, edit, prim.path);
  if (key == "specializes") return ParseClassPaths(prim.specializes, edit, prim.path);
  if (key == "variantSets") {
    std::vector<Token> names;
    if (!ParseNames(names, true)) return false;
    for (const Token name : names) {
      if (!IsVariantSetName(name.text())) {
        return cursor_.Fail(at, "'" + name.str() + "' cannot name a variant set");
      }
    }
    return SetItems(prim.variant_set_names, edit, std::move(names), at);
  }
  if (key == "apiSchemas") {
    std::vector<Token> names;
    return ParseItems(edit, false, names, [&](Token& name) { return values_.ReadText(name); }) &&
           SetItems(prim.api_schemas, edit, std::move(names), at);
  }
  out_is_arc = key == "variants" || key == "relocates";
  if (!out_is_arc) return true;
  if (!RefuseMetadataEdit(edit, at, key)) return false;
  return key == "variants" ? ParseSelections(prim) : ParseRelocates(prim);
}

bool UsdaParser::ParseNames(std::vector<Token>& out, bool allow_single) {
  cursor_.SkipBlanks();
  const Mark at = cursor_.mark();
  // As an edit, so that there is one at least.
  return ParseItems(ListEdit::kAdd, allow_single, out, [&](Token& name) {
    if (!values_.ReadText(name)) return false;
    return !name.empty() || cursor_.Fail(at, "a name in a list is empty");
  });
}

bool UsdaParser::ParsePath(Path anchor, Path& out, Mark& out_at) {
  cursor_.SkipBlanks();
  out_at = cursor_.mark();
  std::string_view text;
  if (!cursor_.PathText(text)) return false;
  auto parsed = paths_.Parse(text, anchor);
  if (!parsed.ok()) return cursor_.Fail(out_at, parsed.error().message, parsed.error().code);
  out = *parsed;
  return true;
}

bool UsdaParser::ParseReferences(std::unique_ptr<ListOp<Reference>>& op, ListEdit edit,
                                 bool is_payload) {
  const Mark at = cursor_.mark();
  std::vector<Reference> items;
  return ParseItems(edit, true, items,
                    [&](Reference& item) { return ParseReference(item, is_payload); }) &&
         SetItems(op, edit, std::move(items), at);
}

bool UsdaParser::ParseReference(Reference& out, bool is_payload) {
  cursor_.SkipBlanks();
  const Mark at = cursor_.mark();
  const bool has_asset = cursor_.Peek() == '@';
  if (has_asset) {
    if (!values_.ReadAsset(out.asset)) return false;
    if (out.asset.empty()) {
      return cursor_.Fail(at, "an empty asset path; one in this layer is written <path> alone");
    }
  } else if (cursor_.Peek() != '<') {
    return cursor_.FailExpected("@asset@ or <path>");
  }
  cursor_.SkipBlanks();
  if (cursor_.Peek() == '<') {
    const Mark path_at = cursor_.mark();
    std::string_view text;
    if (!cursor_.PathText(text)) return false;
    if (!text.empty()) {
      auto parsed = paths_.Parse(text, {});
      if (!parsed.ok()) return cursor_.Fail(path_at, parsed.error().message, parsed.error().code);
      if (!parsed->IsPrim() || parsed->HasVariant()) {
        return cursor_.Fail(
            path_at, "<" + std::string(text) + "> is no absolute path of a prim without variants");
      }
      out.prim = *parsed;
    }
  }
  return !AtMetadata() || ParseMetadata([&] { return ParseReferenceParameters(out, is_payload); });
}

bool UsdaParser::ParseReferenceParameters(Reference& reference, bool is_payload) {
  cursor_.SkipBlanks();
  const Mark at = cursor_.mark();
  std::string_view key;
  bool is_offset = false;
  if (!cursor_.Word(key, "offset or scale") || !cursor_.Expect('=')) return false;
  if (!ParseLayerOffset(key, reference.time, is_offset)) return false;
  if (is_offset) return true;
  if (key == "customData" && !is_payload) return values_.ReadDictionary(reference.custom_data);
  return cursor_.Fail(at, "'" + std::string(key) + "' is no parameter of a " +
                              (is_payload ? "payload" : "reference"));
}

bool UsdaParser::ParseLayerOffset(std::string_view key, LayerOffset& out, bool& out_is_offset) {
  out_is_offset = key == "offset" || key == "scale";
  if (!out_is_offset) return true;
  cursor_.SkipBlanks();
  const Mark at = cursor_.mark();
  double& number = key == "offset" ? out.offset : out.scale;
  if (!cursor_.Real(number)) return false;
  return std::isfinite(number) ||
         cursor_.Fail(at, "the " + std::string(key) + " of a layer is not finite");
}

bool UsdaParser::ParseClassPaths(std::unique_ptr<ListOp<Path>>& op, ListEdit edit, Path prim) {
  const Mark at = cursor_.mark();
  const Path anchor = paths_.WithoutVariants(prim);
  std::vector<Path> items;
  const bool read = ParseItems(edit, true, items, [&](Path& item) {
    Mark item_at{};
    if (!ParsePath(anchor, item, item_at)) return false;
    if (item.IsPrim() && !item.HasVariant()) return true;
    return cursor_.Fail(item_at, "<" + item.ToString() + "> is no path of a prim without variants");
  });
  return read && SetItems(op, edit, std::move(items), at);
}

bool UsdaParser::ParseSelections(PrimSpec& prim) {
  constexpr std::size_t kMaxSelections = 1024;
  cursor_.SkipBlanks();
  const Mark at = cursor_.mark();
  std::shared_ptr<const Dictionary> written;
  if (!values_.ReadDictionary(written)) return false;
  for (const auto& [set, value] : written->entries) {
    const String* variant = value.Get<String>();
    if (variant == nullptr) {
      return cursor_.Fail(at, "the selection of variant set '" + set.str() + "' is no string");
    }
    if (!variant->text.empty() && !IsVariantName(variant->text.text()) &&
        !variant->text.text().starts_with('`')) {
      return cursor_.Fail(at, "'" + variant->text.str() + "' cannot name a variant");
    }
    if (!Charge(2 * sizeof(VariantSelection), "variant selections")) return false;
    auto found = prim.selections.begin();
    while (found != prim.selections.end() && found->set != set) ++found;
    if (found == prim.selections.end()) {
      if (prim.selections.size() == kMaxSelections) {
        return cursor_.Fail(at, "more than " + std::to_string(kMaxSelections) + " selections",
                            ErrorCode::kLimitExceeded);
      }
      found = prim.selections.insert(found, {set, {}});
    }
    found->variant = variant->text;
  }
  return true;
}

bool UsdaParser::ParseRelocates(PrimSpec& prim) {
  cursor_.SkipBlanks();
  const Mark open = cursor_.mark();
  if (!cursor_.Expect('{')) return false;
  const Path anchor = paths_.WithoutVariants(prim.path);
  prim.relocates.clear();
  cursor_.SkipLines();
  while (cursor_.Peek() != '}') {
    if (cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'{'");
    Relocate relocate;
    Mark at{};
    if (!ParsePath(anchor, relocate.source, at) || !cursor_.Expect(':')) return false;
    cursor_.SkipBlanks();
    if (cursor_.rest().starts_with("<>")) {
      cursor_.Skip();
      cursor_.Skip();
    } else if (!ParsePath(anchor, relocate.target, at)) {
      return false;
    }
    if (!relocate.source.IsPrim() || relocate.source.HasVariant() || relocate.target.HasVariant()) {
      return cursor_.Fail(at, "a relocate moves a prim, and names no variants");
    }
    if (!Charge(2 * sizeof(Relocate), "relocates")) return false;
    prim.relocates.push_back(relocate);
    const bool comma = cursor_.Accept(',');
    cursor_.SkipLines();
    if (!comma && cursor_.Peek() != '}') return cursor_.FailExpected("',' or '}'");
  }
  cursor_.Skip();
  return true;
}

}  // namespace flexor::io::usd
