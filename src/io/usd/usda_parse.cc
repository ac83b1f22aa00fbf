#include <algorithm>
#include <utility>

#include "flexor/core/utf8.h"

#include "io/rules.h"
#include "io/usd/usda.h"
#include "io/usd/usda_parser.h"

namespace flexor::io::usd {
namespace {

constexpr std::string_view kMagic = "#usda ";

/// Words that cannot be the type of a prim.
constexpr std::string_view kReserved[] = {
    "None",
    "add",
    "append",
    "class",
    "config",
    "connect",
    "custom",
    "customData",
    "def",
    "default",
    "delete",
    "dictionary",
    "displayUnit",
    "doc",
    "inherits",
    "kind",
    "nameChildren",
    "offset",
    "over",
    "payload",
    "permission",
    "prefixSubstitutions",
    "prepend",
    "properties",
    "references",
    "rel",
    "relocates",
    "reorder",
    "rootPrims",
    "scale",
    "specializes",
    "subLayers",
    "suffixSubstitutions",
    "symmetryArguments",
    "symmetryFunction",
    "timeSamples",
    "uniform",
    "variantSet",
    "variantSets",
    "variants",
    "varying",
};

}  // namespace

Result<std::shared_ptr<Layer>> ReadUsda(std::string_view text, const std::string& identifier,
                                        std::shared_ptr<PathTable> paths,
                                        Diagnostics& diagnostics) {
  auto layer = std::make_shared<Layer>(identifier, std::move(paths));
  UsdaParser parser(text, *layer, diagnostics);
  if (parser.ParseLayer()) return layer;
  Error error = parser.error();
  error.place.path = identifier;
  return error;
}

bool UsdaParser::ParseLayer() {
  if (!ParseMagic()) return false;
  cursor_.SkipLines();
  if (cursor_.Peek() == '(') {
    if (!ParseMetadata([&] { return ParseLayerMetadataItem(); })) return false;
    if (!cursor_.AtLineEnd()) return cursor_.FailExpected("the end of the line");
    cursor_.SkipLines();
  }
  while (!cursor_.AtEnd()) {
    if (cursor_.AcceptWord("reorder")) {
      if (!cursor_.AcceptWord("rootPrims")) return cursor_.FailExpected("rootPrims");
      if (!ParseReorder(layer_.root().child_order) || !EndStatement()) return false;
    } else {
      if (!ParsePrim(layer_.root())) return false;
      if (!cursor_.AtLineEnd()) return cursor_.FailExpected("the end of the line");
      cursor_.SkipLines();
    }
  }
  return cursor_.CheckComments();
}

bool UsdaParser::ParseMagic() {
  const std::string_view text = cursor_.rest();
  if (!text.starts_with(kMagic)) {
    return cursor_.Fail(Error{ErrorCode::kUnknownFormat,
                              "a layer in text starts with '#usda 1.0', and this does not",
                              {}});
  }
  // 1.0, 1.0.32 and other versions of the first kind.
  std::string_view version = text.substr(kMagic.size());
  version = version.substr(0, version.find_first_of(" \t\r\n"));
  const std::string_view minor = version.substr(std::min<std::size_t>(2, version.size()));
  if (!version.starts_with("1.") || minor.empty() ||
      minor.find_first_not_of("0123456789.") != std::string_view::npos) {
    return cursor_.Fail(Error{ErrorCode::kUnsupportedFeature,
                              "this text is of version '" + std::string(version.substr(0, 20)) +
                                  "'; versions 1.x are read",
                              {}});
  }
  // Checked once here, so that no name or text needs to be.
  for (std::string_view left = text; !left.empty();) {
    const std::size_t length = Utf8SequenceLength(left);
    const UsdaCursor::Mark at = text.data() + (text.size() - left.size());
    if (length == 0) return cursor_.Fail(at, "this byte is no UTF-8");
    if (left[0] == '\0') return cursor_.Fail(at, "a NUL in the text");
    left.remove_prefix(length);
  }
  // The rest of the line means nothing.
  cursor_.GoTo(text.data() + std::min(text.find_first_of("\r\n"), text.size()));
  return true;
}

bool UsdaParser::Enter(Mark at) {
  constexpr int kMaxDepth = 256;
  if (depth_ == kMaxDepth) {
    return cursor_.Fail(at, "prims and variants nest deeper than " + std::to_string(kMaxDepth),
                        ErrorCode::kLimitExceeded);
  }
  ++depth_;
  return true;
}

bool UsdaParser::ParsePrimType(Token& out) {
  if (cursor_.AtQuoted()) return true;
  const Mark start = cursor_.mark();
  std::string_view word;
  if (!cursor_.Word(word, "the name of a prim in quotes")) return false;
  if (std::ranges::find(kReserved, word) != std::end(kReserved)) {
    return cursor_.Fail(start, "'" + std::string(word) + "' is no type of prims");
  }
  while (cursor_.Peek() == '.') {
    cursor_.Skip();
    if (!cursor_.Word(word, "the rest of a type")) return false;
  }
  return values_.Intern(cursor_.Since(start), out);
}

bool UsdaParser::ParsePrim(PrimSpec& parent) {
  const Mark at = cursor_.mark();
  Specifier specifier = Specifier::kDef;
  if (cursor_.AcceptWord("over")) {
    specifier = Specifier::kOver;
  } else if (cursor_.AcceptWord("class")) {
    specifier = Specifier::kClass;
  } else if (!cursor_.AcceptWord("def")) {
    return cursor_.FailExpected("def, over or class");
  }
  cursor_.SkipBlanks();
  Token type;
  if (!ParsePrimType(type)) return false;
  cursor_.SkipBlanks();
  const Mark name_at = cursor_.mark();
  std::string_view name;
  if (!cursor_.Quoted(name)) return false;
  if (!IsIdentifier(name) || name.size() > PathTable::kMaxNameBytes) {
    return cursor_.Fail(name_at, "'" + std::string(Utf8Prefix(name, 60)) +
                                     "' cannot name a prim: a letter or '_', then letters, digits "
                                     "and '_', at most " +
                                     std::to_string(PathTable::kMaxNameBytes) + " bytes");
  }
  Token token;
  if (!Enter(at) || !values_.Intern(name, token)) return false;
  const Path path = paths_.Child(parent.path, token);
  if (path.empty()) return cursor_.Fail(paths_.status().error());
  if (layer_.FindPrim(path) != nullptr) {
    return cursor_.Fail(name_at, "there is a prim '" + token.str() + "' here already");
  }
  auto added = layer_.AddPrim(path);
  if (!added.ok()) return cursor_.Fail(std::move(added).error());
  PrimSpec& prim = **added;
  prim.specifier = specifier;
  prim.type_name = type;
  cursor_.SkipLines();
  if (cursor_.Peek() == '(') {
    if (!ParseMetadata([&] { return ParsePrimMetadataItem(prim); })) return false;
    cursor_.SkipLines();
  }
  if (!ParseContents(prim)) return false;
  --depth_;
  return true;
}

bool UsdaParser::ParseContents(PrimSpec& prim) {
  const Mark open = cursor_.mark();
  if (!cursor_.Expect('{')) return false;
  cursor_.SkipLines();
  while (cursor_.Peek() != '}') {
    if (cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'{'");
    bool is_block = false;
    if (!ParseStatement(prim, is_block)) return false;
    if (cursor_.SkipBlanks(); cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'{'");
    if (is_block ? !EndBlock() : !EndStatement()) return false;
  }
  cursor_.Skip();
  return true;
}

bool UsdaParser::EndStatement() {
  const bool semicolon = cursor_.Accept(';');
  return cursor_.SkipLines() || semicolon || cursor_.AtEnd() ||
         cursor_.FailExpected("';' or the end of the line");
}

bool UsdaParser::EndBlock() {
  return cursor_.SkipLines() || cursor_.FailExpected("the end of the line");
}

ListEdit UsdaParser::AcceptListEdit() {
  constexpr std::pair<std::string_view, ListEdit> kWords[] = {{"add", ListEdit::kAdd},
                                                              {"append", ListEdit::kAppend},
                                                              {"delete", ListEdit::kDelete},
                                                              {"prepend", ListEdit::kPrepend},
                                                              {"reorder", ListEdit::kReorder}};
  const std::string_view word = cursor_.PeekWord();
  for (const auto& [name, edit] : kWords) {
    if (word == name) {
      cursor_.AcceptWord(word);
      return edit;
    }
  }
  return ListEdit::kExplicit;
}

bool UsdaParser::ParseStatement(PrimSpec& prim, bool& out_is_block) {
  const std::string_view word = cursor_.PeekWord();
  if (word == "def" || word == "over" || word == "class") {
    out_is_block = true;
    return ParsePrim(prim);
  }
  if (word == "variantSet") {
    out_is_block = true;
    return ParseVariantSet(prim);
  }
  const ListEdit edit = AcceptListEdit();
  if (edit == ListEdit::kReorder) {
    const Mark at = cursor_.mark();
    // Followed by a name, these words are types of attributes.
    for (const auto& [name, order] : {std::pair{"nameChildren", &prim.child_order},
                                      std::pair{"properties", &prim.property_order}}) {
      if (!cursor_.AcceptWord(name)) continue;
      if (cursor_.SkipBlanks(); cursor_.Peek() == '=') return ParseReorder(*order);
      cursor_.GoTo(at);
    }
  }
  return ParseProperty(prim, edit);
}

bool UsdaParser::ParseReorder(std::vector<Token>& out) {
  out.clear();
  return cursor_.Expect('=') && ParseNames(out, true);
}

bool UsdaParser::ParseVariantSet(PrimSpec& prim) {
  constexpr std::size_t kMaxSets = 64;
  if (!cursor_.AcceptWord("variantSet")) return cursor_.FailExpected("variantSet");
  cursor_.SkipBlanks();
  const Mark at = cursor_.mark();
  std::string_view name;
  if (!cursor_.Quoted(name)) return false;
  if (!IsVariantSetName(name) || name.size() > PathTable::kMaxNameBytes) {
    return cursor_.Fail(at, "'" + std::string(Utf8Prefix(name, 60)) +
                                "' cannot name a variant set: letters, digits, '_', '|' and '-'");
  }
  Token set;
  if (!values_.Intern(name, set) || !cursor_.Expect('=')) return false;
  if (prim.FindVariantSet(set) == nullptr && prim.variant_sets.size() == kMaxSets) {
    return cursor_.Fail(at, "a prim has more than " + std::to_string(kMaxSets) + " variant sets",
                        ErrorCode::kLimitExceeded);
  }
  cursor_.SkipLines();
  const Mark open = cursor_.mark();
  if (!cursor_.Expect('{')) return false;
  cursor_.SkipLines();
  do {
    if (cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'{'");
    if (!ParseVariant(prim, set)) return false;
    cursor_.SkipLines();
  } while (cursor_.Peek() != '}');
  cursor_.Skip();
  return true;
}

bool UsdaParser::ParseVariant(PrimSpec& prim, Token set) {
  const Mark at = cursor_.mark();
  if (!cursor_.AtQuoted()) return cursor_.FailExpected("the name of a variant in quotes");
  std::string_view name;
  if (!cursor_.Quoted(name)) return false;
  if (!IsVariantName(name) || name.size() > PathTable::kMaxNameBytes) {
    return cursor_.Fail(at, "'" + std::string(Utf8Prefix(name, 60)) +
                                "' cannot name a variant: maybe a '.', then letters, digits, '_', "
                                "'|' and '-'");
  }
  Token token;
  if (!Enter(at) || !values_.Intern(name, token)) return false;
  const Path path = paths_.Variant(prim.path, set, token);
  if (path.empty()) return cursor_.Fail(paths_.status().error());
  PrimSpec* variant = layer_.FindPrim(path);
  if (variant != nullptr) {
    Report(diagnostics_, "USD_VARIANT_REPEATED", path.ToString(),
           cursor_.LineAndColumn(at) + ": a variant is written a second time");
  } else {
    auto added = layer_.AddPrim(path);
    if (!added.ok()) return cursor_.Fail(std::move(added).error());
    variant = *added;
  }
  cursor_.SkipLines();
  if (cursor_.Peek() == '(') {
    if (!ParseMetadata([&] { return ParsePrimMetadataItem(*variant); })) return false;
    cursor_.SkipLines();
  }
  if (!ParseContents(*variant)) return false;
  --depth_;
  return true;
}

bool UsdaParser::ParseLayerMetadataItem() {
  Fields& fields = layer_.root().metadata;
  ListEdit edit{};
  std::string_view key;
  bool done = false;
  const Mark at = cursor_.mark();
  if (!ParseKey(fields, edit, key, done)) return false;
  if (done) return true;
  if (edit == ListEdit::kExplicit) {
    if (key == "subLayers") return ParseSubLayers();
    if (key == "relocates") return ParseRelocates(layer_.root());
  }
  return ParseField(fields, edit, key, at);
}

bool UsdaParser::ParseSubLayers() {
  layer_.sublayers().clear();
  return values_.List(true, [&] {
    SubLayer sublayer;
    if (!values_.ReadAsset(sublayer.asset)) return false;
    if (AtMetadata()) {
      const bool read = ParseMetadata([&] {
        std::string_view key;
        if (!cursor_.Word(key, "offset or scale") || !cursor_.Expect('=')) return false;
        bool is_offset = false;
        if (!ParseLayerOffset(key, sublayer.time, is_offset)) return false;
        return is_offset || cursor_.FailExpected("offset or scale");
      });
      if (!read) return false;
    }
    if (!Charge(sizeof(SubLayer), "sublayers")) return false;
    layer_.sublayers().push_back(sublayer);
    return true;
  });
}

}  // namespace flexor::io::usd
