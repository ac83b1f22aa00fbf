// What stands in parentheses after a layer, prim or property.

#include <utility>

#include "io/usd/metadata_types.h"
#include "io/usd/usda_parser.h"

namespace flexor::io::usd {

bool UsdaParser::AtMetadata() {
  cursor_.SkipBlanks();
  return cursor_.Peek() == '(';
}

bool UsdaParser::SetField(Fields& fields, std::string_view key, Value value) {
  constexpr std::size_t kMaxFields = 1024;
  Token token;
  if (!values_.Intern(key, token)) return false;
  if (fields.entries.size() == kMaxFields) {
    return cursor_.Fail(cursor_.mark(),
                        "more than " + std::to_string(kMaxFields) + " items of metadata",
                        ErrorCode::kLimitExceeded);
  }
  if (!Charge(2 * sizeof(fields.entries[0]), "metadata")) return false;
  fields.Set(token, std::move(value));
  return true;
}

bool UsdaParser::ParseKey(Fields& fields, ListEdit& out_edit, std::string_view& out_key,
                          bool& out_done) {
  if (cursor_.AtQuoted()) {
    out_done = true;
    Token comment;
    return values_.ReadText(comment) && SetField(fields, "comment", Value::Of(String{comment}));
  }
  out_edit = AcceptListEdit();
  return cursor_.Word(out_key, "an item of metadata") && cursor_.Expect('=');
}

bool UsdaParser::ParseFieldItem(Fields& fields) {
  ListEdit edit{};
  std::string_view key;
  bool done = false;
  const Mark at = cursor_.mark();
  return ParseKey(fields, edit, key, done) && (done || ParseField(fields, edit, key, at));
}

bool UsdaParser::ParsePrimMetadataItem(PrimSpec& prim) {
  ListEdit edit{};
  std::string_view key;
  bool done = false;
  const Mark at = cursor_.mark();
  if (!ParseKey(prim.metadata, edit, key, done)) return false;
  if (done) return true;
  bool is_arc = false;
  if (!ParseArc(prim, edit, key, is_arc)) return false;
  return is_arc || ParseField(prim.metadata, edit, key, at);
}

bool UsdaParser::RefuseMetadataEdit(ListEdit edit, Mark at, std::string_view key) {
  return edit == ListEdit::kExplicit ||
         cursor_.Fail(at, "'" + std::string(key) + "' is no list that could be edited");
}

bool UsdaParser::ParseField(Fields& fields, ListEdit edit, std::string_view key, Mark at) {
  if (key == "doc") key = "documentation";
  if (const MetadataType* type = FindMetadataType(key)) {
    return ParseKnownField(fields, edit, key, *type, at);
  }
  return ParseUnknownField(fields, edit, key);
}

template <class T, class Read>
bool UsdaParser::ParseListOpField(Fields& fields, ListEdit edit, Token key, Read&& read) {
  cursor_.SkipBlanks();
  const Mark at = cursor_.mark();
  std::vector<T> items;
  if (!ParseItems(edit, false, items, read)) return false;
  auto op = std::make_unique<ListOp<T>>();
  if (const Value* old = fields.Find(key.text()); old && old->list_op<T>()) {
    *op = *old->list_op<T>();
  }
  return SetItems(op, edit, std::move(items), at) &&
         SetField(fields, key.text(), Value::OfListOp(std::move(*op)));
}

bool UsdaParser::ParseKnownField(Fields& fields, ListEdit edit, std::string_view key,
                                 const MetadataType& type, Mark at) {
  Token token;
  if (!values_.Intern(key, token)) return false;
  if (type.type == ValueType::kStringListOp) {
    return ParseListOpField<String>(fields, edit, token,
                                    [&](String& item) { return values_.ReadText(item.text); });
  }
  if (type.type == ValueType::kInt64ListOp) {
    return ParseListOpField<std::int64_t>(fields, edit, token, [&](std::int64_t& item) {
      Value value;
      if (!values_.ReadScalar(ValueType::kInt64, value)) return false;
      item = value.GetOr<std::int64_t>(0);
      return true;
    });
  }
  if (!RefuseMetadataEdit(edit, at, key)) return false;
  Value value;
  if (type.type == ValueType::kPermission || key == "symmetryFunction") {
    const std::string_view word = cursor_.PeekWord();
    cursor_.AcceptWord(word);
    Token text;
    const bool is_permission = type.type == ValueType::kPermission;
    if (is_permission && word != "public" && word != "private") {
      return cursor_.FailExpected("public or private");
    }
    if (!values_.Intern(word, text)) return false;
    value = is_permission ? Value::OfText(type.type, text) : Value::Of(text);
  } else if (type.type == ValueType::kDictionary) {
    const bool is_substitution = key == "prefixSubstitutions" || key == "suffixSubstitutions";
    std::shared_ptr<const Dictionary> dictionary;
    if (is_substitution ? !values_.ReadSubstitutions(dictionary)
                        : !values_.ReadDictionary(dictionary)) {
      return false;
    }
    value = Value::OfDictionary(std::move(dictionary));
  } else if (!values_.Read({{}, type.type, {}, type.is_array}, value)) {
    return false;
  }
  return SetField(fields, key, std::move(value));
}

// Dictionaries are read, of all else the text is kept.
bool UsdaParser::ParseUnknownField(Fields& fields, ListEdit edit, std::string_view key) {
  cursor_.SkipBlanks();
  if (cursor_.Peek() == '{' && edit == ListEdit::kExplicit) {
    std::shared_ptr<const Dictionary> dictionary;
    return values_.ReadDictionary(dictionary) &&
           SetField(fields, key, Value::OfDictionary(std::move(dictionary)));
  }
  std::string_view text;
  Token token;
  return cursor_.AnyValue(text) && values_.Intern(text, token) &&
         SetField(fields, key, Value::OfText(ValueType::kUnregistered, token));
}

}  // namespace flexor::io::usd
