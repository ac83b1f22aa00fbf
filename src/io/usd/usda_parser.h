/// @file io/usd/usda_parser.h
/// The grammar of a layer's text. Every function reads what its name says at the cursor; false
/// means that the cursor holds a fault.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "flexor/core/diagnostic.h"

#include "io/usd/layer.h"
#include "io/usd/metadata_types.h"
#include "io/usd/usda_cursor.h"
#include "io/usd/usda_values.h"

namespace flexor::io::usd {

/// The word before a statement that edits a list; kExplicit when there is none.
enum class ListEdit : std::uint8_t { kExplicit, kAdd, kPrepend, kAppend, kDelete, kReorder };

class UsdaParser {
 public:
  UsdaParser(std::string_view text, Layer& layer, Diagnostics& diagnostics)
      : cursor_(text),
        layer_(layer),
        paths_(layer.paths()),
        values_(cursor_, paths_),
        diagnostics_(diagnostics) {}

  bool ParseLayer();
  const Error& error() const { return cursor_.error(); }

 private:
  using Mark = UsdaCursor::Mark;

  // usda_parse.cc: the layer and its prims.
  bool ParseMagic();
  bool ParseLayerMetadataItem();
  bool ParseSubLayers();
  bool ParsePrim(PrimSpec& parent);
  bool ParsePrimType(Token& out);
  bool ParseContents(PrimSpec& prim);
  bool ParseStatement(PrimSpec& prim, bool& out_is_block);
  bool ParseVariantSet(PrimSpec& prim);
  bool ParseVariant(PrimSpec& prim, Token set);
  bool ParseReorder(std::vector<Token>& out);
  /// One ';' or line end at least, and all line ends that follow.
  bool EndStatement();
  bool EndBlock();
  bool Enter(Mark at);

  // usda_properties.cc
  bool ParseProperty(PrimSpec& prim, ListEdit edit);
  bool ParseRelationship(PrimSpec& prim, ListEdit edit, bool custom, Variability variability);
  bool ParseAttribute(PrimSpec& prim, ListEdit edit, bool custom, Variability variability);
  bool ParseAttributeType(Token& out_name, std::optional<TypeName>& out_type);
  bool Declare(PrimSpec& prim, Mark at, std::string_view name, bool is_relationship,
               PropertySpec*& out);
  bool DeclareAttribute(PrimSpec& prim, Mark at, std::string_view name, Token type,
                        Variability variability, PropertySpec*& out);
  bool ParseDefault(PropertySpec& attribute, const std::optional<TypeName>& type);
  bool ParseTimeSamples(PropertySpec& attribute, const std::optional<TypeName>& type);
  bool ParseTargets(PropertySpec& property, ListEdit edit, Path prim);
  /// Leaves `out` empty for what is skipped.
  bool ParseTarget(const PropertySpec& property, Path anchor, Path& out);
  bool ParseSpline(PropertySpec& attribute);
  bool ParseValueOrBlock(const std::optional<TypeName>& type, Value& out);

  // usda_metadata.cc
  bool AtMetadata();
  /// ( item … ), each read by `item`.
  template <class Item>
  bool ParseMetadata(Item&& item);
  bool ParsePrimMetadataItem(PrimSpec& prim);
  bool ParseFieldItem(Fields& fields);
  /// The parts of an item: a text alone is a comment and sets `out_done`.
  bool ParseKey(Fields& fields, ListEdit& out_edit, std::string_view& out_key, bool& out_done);
  bool ParseField(Fields& fields, ListEdit edit, std::string_view key, Mark at);
  bool ParseKnownField(Fields& fields, ListEdit edit, std::string_view key,
                       const MetadataType& type, Mark at);
  bool ParseUnknownField(Fields& fields, ListEdit edit, std::string_view key);
  template <class T, class Read>
  bool ParseListOpField(Fields& fields, ListEdit edit, Token key, Read&& read);
  bool SetField(Fields& fields, std::string_view key, Value value);

  // usda_arcs.cc: what a prim is composed of.
  bool ParseArc(PrimSpec& prim, ListEdit edit, std::string_view key, bool& out_is_arc);
  bool ParseReferences(std::unique_ptr<ListOp<Reference>>& op, ListEdit edit, bool is_payload);
  bool ParseReference(Reference& out, bool is_payload);
  bool ParseReferenceParameters(Reference& reference, bool is_payload);
  bool ParseLayerOffset(std::string_view key, LayerOffset& out, bool& out_is_offset);
  bool ParseClassPaths(std::unique_ptr<ListOp<Path>>& op, ListEdit edit, Path prim);
  bool ParseSelections(PrimSpec& prim);
  bool ParseRelocates(PrimSpec& prim);
  bool ParseNames(std::vector<Token>& out, bool allow_single);
  bool ParsePath(Path anchor, Path& out, Mark& out_at);

  ListEdit AcceptListEdit();
  bool RefuseMetadataEdit(ListEdit edit, Mark at, std::string_view key);
  bool None() { return cursor_.AcceptWord("None"); }
  bool Charge(std::uint64_t bytes, std::string_view what) { return values_.Charge(1, bytes, what); }
  /// Puts the items of a statement into a list op; refuses repeated ones.
  template <class T>
  bool SetItems(std::unique_ptr<ListOp<T>>& op, ListEdit edit, std::vector<T> items, Mark at);
  /// item, or [ item, … ], or None when explicit.
  template <class T, class Read>
  bool ParseItems(ListEdit edit, bool allow_single, std::vector<T>& out, Read&& read);

  UsdaCursor cursor_;
  Layer& layer_;
  PathTable& paths_;
  UsdaValues values_;
  Diagnostics& diagnostics_;
  int depth_ = 0;
};

template <class T, class Read>
bool UsdaParser::ParseItems(ListEdit edit, bool allow_single, std::vector<T>& out, Read&& read) {
  constexpr std::size_t kMaxItems = 65536;
  cursor_.SkipBlanks();
  const Mark at = cursor_.mark();
  if (cursor_.PeekWord() == "None") {
    if (edit != ListEdit::kExplicit) {
      return cursor_.Fail(at, "None replaces a whole list; it cannot edit one");
    }
    return None();
  }
  const auto one = [&] {
    T item{};
    if (!read(item) || !values_.Charge(1, sizeof(T), "a list")) return false;
    if (out.size() == kMaxItems) {
      return cursor_.Fail(at, "a list of more than " + std::to_string(kMaxItems) + " items",
                          ErrorCode::kLimitExceeded);
    }
    out.push_back(std::move(item));
    return true;
  };
  if (cursor_.Peek() != '[' && allow_single) return one();
  if (!values_.List(true, one)) return false;
  if (out.empty() && edit != ListEdit::kExplicit) {
    return cursor_.Fail(at, "an empty list edits nothing; it can only replace a list");
  }
  return true;
}

template <class T>
bool UsdaParser::SetItems(std::unique_ptr<ListOp<T>>& op, ListEdit edit, std::vector<T> items,
                          Mark at) {
  std::unordered_set<T> seen;
  for (const T& item : items) {
    if (!seen.insert(item).second) return cursor_.Fail(at, "a list names one thing twice");
  }
  if (!op) {
    if (!Charge(sizeof(ListOp<T>), "a list")) return false;
    op = std::make_unique<ListOp<T>>();
  }
  // Of a whole list and edits of one the later statement counts.
  if (op->is_explicit != (edit == ListEdit::kExplicit)) *op = {};
  switch (edit) {
    case ListEdit::kExplicit:
      op->is_explicit = true;
      op->explicit_items = std::move(items);
      break;
    case ListEdit::kAdd:
      op->added = std::move(items);
      break;
    case ListEdit::kPrepend:
      op->prepended = std::move(items);
      break;
    case ListEdit::kAppend:
      op->appended = std::move(items);
      break;
    case ListEdit::kDelete:
      op->deleted = std::move(items);
      break;
    case ListEdit::kReorder:
      op->ordered = std::move(items);
      break;
  }
  return true;
}

template <class Item>
bool UsdaParser::ParseMetadata(Item&& item) {
  const Mark open = cursor_.mark();
  if (!cursor_.Expect('(')) return false;
  cursor_.SkipLines();
  while (cursor_.Peek() != ')') {
    if (cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'('");
    if (!item()) return false;
    bool ended = cursor_.Accept(';');
    ended |= cursor_.SkipLines();
    if (!ended && cursor_.Peek() != ')') {
      if (cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'('");
      return cursor_.FailExpected("';' or the end of the line");
    }
  }
  cursor_.Skip();
  return true;
}

}  // namespace flexor::io::usd
