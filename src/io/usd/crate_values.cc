// Values of a crate that are no arrays.

#include <algorithm>
#include <utility>

#include "io/usd/crate.h"
#include "io/usd/crate_work.h"

namespace flexor::io::usd {
namespace {

constexpr CrateVersion kPayloadsHaveOffsets{0, 8, 0};

// Types 1 to 30 in the order of their numbers.
constexpr ValueType kPlainTypes[] = {
    ValueType::kNone,       ValueType::kBool,     ValueType::kUChar,    ValueType::kInt,
    ValueType::kUInt,       ValueType::kInt64,    ValueType::kUInt64,   ValueType::kHalf,
    ValueType::kFloat,      ValueType::kDouble,   ValueType::kString,   ValueType::kToken,
    ValueType::kAsset,      ValueType::kMatrix2d, ValueType::kMatrix3d, ValueType::kMatrix4d,
    ValueType::kQuatd,      ValueType::kQuatf,    ValueType::kQuath,    ValueType::kVec2d,
    ValueType::kVec2f,      ValueType::kVec2h,    ValueType::kVec2i,    ValueType::kVec3d,
    ValueType::kVec3f,      ValueType::kVec3h,    ValueType::kVec3i,    ValueType::kVec4d,
    ValueType::kVec4f,      ValueType::kVec4h,    ValueType::kVec4i,    ValueType::kDictionary,
    ValueType::kTokenListOp};
static_assert(std::size(kPlainTypes) == kCrateTokenListOp + 1);

bool IsText(ValueType type) {
  return type == ValueType::kString || type == ValueType::kToken || type == ValueType::kAsset ||
         type == ValueType::kPathExpression;
}

Error Short(std::uint64_t offset, std::string_view what) {
  return CrateError(ErrorCode::kTruncated, offset,
                    "the file ends inside " + std::string(what) + " that starts here");
}

/// A small whole number for each component, in one byte each.
template <class Component, std::size_t N>
void FromBytes(std::uint64_t payload, Component (&out)[N]) {
  for (std::size_t i = 0; i < N; ++i) {
    const auto byte = static_cast<std::int8_t>(payload >> (8 * i) & 0xFF);
    if constexpr (std::is_same_v<Component, Half>) {
      out[i] = ToHalf(byte);
    } else {
      out[i] = static_cast<Component>(byte);
    }
  }
}

template <class T>
T VectorFromBytes(std::uint64_t payload) {
  T vector{};
  decltype(vector.x) parts[sizeof(T) / sizeof(vector.x)];
  FromBytes(payload, parts);
  static_assert(sizeof(parts) == sizeof(T));
  std::memcpy(&vector, parts, sizeof(T));
  return vector;
}

template <int N>
RowMatrix<N> DiagonalFromBytes(std::uint64_t payload) {
  double diagonal[N];
  FromBytes(payload, diagonal);
  RowMatrix<N> matrix;
  for (int i = 0; i < N; ++i) matrix.m[i][i] = diagonal[i];
  return matrix;
}

}  // namespace

ValueType ValueTypeOfCrate(std::uint8_t type) {
  if (type < std::size(kPlainTypes)) return kPlainTypes[type];
  switch (type) {
    case 33:
      return ValueType::kStringListOp;
    case 36:
      return ValueType::kIntListOp;
    case 37:
      return ValueType::kInt64ListOp;
    case 38:
      return ValueType::kUIntListOp;
    case 39:
      return ValueType::kUInt64ListOp;
    case kCrateTokenVector:
      return ValueType::kToken;
    case kCratePermission:
      return ValueType::kPermission;
    case kCrateDoubleVector:
      return ValueType::kDouble;
    case kCrateStringVector:
      return ValueType::kString;
    case kCrateBlock:
    case kCrateAnimationBlock:
      return ValueType::kBlock;
    case kCrateUnregistered:
      return ValueType::kUnregistered;
    case 56:
      return ValueType::kTimeCode;
    case 57:
      return ValueType::kPathExpression;
    default:
      return ValueType::kUnsupported;
  }
}

ValueType Crate::TypeOf(std::uint64_t code) const {
  const CrateCode c(code);
  return c.is_edit() ? ValueType::kUnsupported : ValueTypeOfCrate(c.type());
}

bool Crate::IsArray(std::uint64_t code) const {
  const CrateCode c(code);
  return c.is_array() || c.type() == kCrateTokenVector || c.type() == kCrateDoubleVector ||
         c.type() == kCrateStringVector;
}

Result<Token> Crate::TokenAt(std::uint32_t index) const {
  if (index < tokens_.size()) return tokens_[index];
  return Error{ErrorCode::kIndexOutOfRange,
               "token " + std::to_string(index) + " of " + std::to_string(tokens_.size()),
               {}};
}

Result<Token> Crate::StringAt(std::uint32_t index) const {
  if (index < strings_.size()) return tokens_[strings_[index]];
  return Error{ErrorCode::kIndexOutOfRange,
               "string " + std::to_string(index) + " of " + std::to_string(strings_.size()),
               {}};
}

Result<Path> Crate::PathAt(std::uint32_t index) const {
  if (index < all_paths_.size()) return all_paths_[index];
  return Error{ErrorCode::kIndexOutOfRange,
               "path " + std::to_string(index) + " of " + std::to_string(all_paths_.size()),
               {}};
}

Result<Value> Crate::Load(std::uint64_t code, MemoryBudget& budget) const {
  Work work{budget};
  auto value = LoadValue(CrateCode(code), work);
  if (value.ok() || value.error().place.byte_offset) return value;
  Error error = std::move(value).error();
  if (!CrateCode(code).is_inlined()) error.place.byte_offset = CrateCode(code).payload();
  return error;
}

Result<Value> Crate::LoadValue(CrateCode code, Work& work) const {
  const ValueType type = TypeOf(code.bits());
  if (type == ValueType::kUnsupported) {
    return Error{ErrorCode::kUnsupportedFeature,
                 code.is_edit()
                     ? "edits of arrays are not read"
                     : "values of the type " + std::to_string(code.type()) +
                           (code.type() == kCrateSpline ? " (splines)" : "") + " are not read",
                 {}};
  }
  if (code.is_array()) return LoadArray(code, work);
  if (type == ValueType::kBlock) return Value::Block();
  switch (code.type()) {
    case kCrateDictionary:
      return LoadDictionaryValue(code, work);
    case kCrateTokenListOp:
    case 33:
      return LoadTextListOp(code, work);
    case 36:
      return LoadNumberListOp<std::int32_t>(code, work);
    case 37:
      return LoadNumberListOp<std::int64_t>(code, work);
    case 38:
      return LoadNumberListOp<std::uint32_t>(code, work);
    case 39:
      return LoadNumberListOp<std::uint64_t>(code, work);
    case kCrateTokenVector:
    case kCrateStringVector:
    case kCrateDoubleVector:
      return LoadVector(code, work);
    case kCratePermission: {
      const Token text = paths_->tokens().Find(code.payload() == 1 ? "private" : "public");
      return Value::OfText(ValueType::kPermission, text);
    }
    case kCrateUnregistered: {
      ByteCursor cursor(bytes_.data, code.payload());
      FLEXOR_ASSIGN(Value inner, LoadNested(cursor, work));
      return inner.Is<String>() ? Value::OfText(ValueType::kUnregistered, inner.token()) : inner;
    }
    default:
      break;
  }
  if (!HasArrays(type)) {
    return CrateError(ErrorCode::kParse, 0,
                      "a value of the type " + std::to_string(code.type()) + " cannot be");
  }
  if (IsText(type)) return LoadText(code);
  return code.is_inlined() ? LoadInlined(code) : LoadScalar(code);
}

Result<Value> Crate::LoadText(CrateCode code) const {
  auto index = static_cast<std::uint32_t>(code.payload());
  const ValueType type = TypeOf(code.bits());
  if (!code.is_inlined()) {
    ByteCursor cursor(bytes_.data, code.payload());
    index = cursor.Take<std::uint32_t>();
    if (!cursor.ok()) return Short(code.payload(), "a text");
  }
  const bool by_token = type == ValueType::kToken || type == ValueType::kAsset;
  FLEXOR_ASSIGN(const Token text, by_token ? TokenAt(index) : StringAt(index));
  switch (type) {
    case ValueType::kToken:
      return Value::Of(text);
    case ValueType::kAsset:
      return Value::Of(AssetPath{text});
    case ValueType::kString:
      return Value::Of(String{text});
    default:
      return Value::Of(PathExpression{text});
  }
}

Result<Value> Crate::LoadInlined(CrateCode code) const {
  const std::uint64_t payload = code.payload();
  const auto low = static_cast<std::uint32_t>(payload);
  switch (TypeOf(code.bits())) {
    case ValueType::kBool:
      return Value::Of(payload != 0);
    case ValueType::kUChar:
      return Value::Of(static_cast<std::uint8_t>(low));
    case ValueType::kInt:
      return Value::Of(static_cast<std::int32_t>(low));
    case ValueType::kUInt:
      return Value::Of(low);
    case ValueType::kInt64:
      return Value::Of(std::int64_t{static_cast<std::int32_t>(low)});
    case ValueType::kUInt64:
      return Value::Of(std::uint64_t{low});
    case ValueType::kHalf:
      return Value::Of(Half{static_cast<std::uint16_t>(low)});
    case ValueType::kFloat:
      return Value::Of(std::bit_cast<float>(low));
    case ValueType::kDouble:
      return Value::Of(double{std::bit_cast<float>(low)});
    case ValueType::kTimeCode:
      return Value::Of(TimeCode{std::bit_cast<float>(low)});
    case ValueType::kMatrix2d:
      return Value::Of(DiagonalFromBytes<2>(payload));
    case ValueType::kMatrix3d:
      return Value::Of(DiagonalFromBytes<3>(payload));
    case ValueType::kMatrix4d:
      return Value::Of(DiagonalFromBytes<4>(payload));
    case ValueType::kVec2h:
      return Value::Of(Vec2h{Half{static_cast<std::uint16_t>(low)},
                             Half{static_cast<std::uint16_t>(low >> 16)}});
    case ValueType::kVec2d:
      return Value::Of(VectorFromBytes<Vec2d>(payload));
    case ValueType::kVec2f:
      return Value::Of(VectorFromBytes<Vec2f>(payload));
    case ValueType::kVec2i:
      return Value::Of(VectorFromBytes<Vec2i>(payload));
    case ValueType::kVec3d:
      return Value::Of(VectorFromBytes<Vec3d>(payload));
    case ValueType::kVec3f:
      return Value::Of(VectorFromBytes<Vec3f>(payload));
    case ValueType::kVec3h:
      return Value::Of(VectorFromBytes<Vec3h>(payload));
    case ValueType::kVec3i:
      return Value::Of(VectorFromBytes<Vec3i>(payload));
    case ValueType::kVec4d:
      return Value::Of(VectorFromBytes<Vec4d>(payload));
    case ValueType::kVec4f:
      return Value::Of(VectorFromBytes<Vec4f>(payload));
    case ValueType::kVec4h:
      return Value::Of(VectorFromBytes<Vec4h>(payload));
    case ValueType::kVec4i:
      return Value::Of(VectorFromBytes<Vec4i>(payload));
    default:
      return Error{
          ErrorCode::kParse,
          "a value of the type " + std::to_string(code.type()) + " cannot stand in its own code",
          {}};
  }
}

Result<Value> Crate::LoadScalar(CrateCode code) const {
  return WithElementType(TypeOf(code.bits()), [&](auto element) -> Result<Value> {
    ByteCursor cursor(bytes_.data, code.payload());
    if constexpr (std::is_same_v<decltype(element), bool>) {
      element = cursor.Take<std::uint8_t>() != 0;
    } else {
      element = cursor.Take<decltype(element)>();
    }
    if (!cursor.ok()) return Short(code.payload(), "a value");
    return Value::Of(element);
  });
}

// A nested value is where an offset, relative to its own place, points at the code of it; what
// follows stands behind that code.
Result<Value> Crate::LoadNested(ByteCursor& cursor, Work& work) const {
  const std::uint64_t at = cursor.offset();
  FLEXOR_TRY(work.AddEntry(at));
  cursor.GoTo(at, cursor.Take<std::int64_t>());
  const CrateCode code(cursor.Take<std::uint64_t>());
  if (!cursor.ok()) return Short(at, "a nested value");
  ++work.depth;
  auto value = LoadValue(code, work);
  --work.depth;
  if (!value.ok() && value.error().code == ErrorCode::kUnsupportedFeature) {
    return Value::OfText(ValueType::kUnsupported, {});
  }
  if (value.ok() || value.error().place.byte_offset) return value;
  return CrateError(value.error().code, at, value.error().message);
}

Result<Value> Crate::LoadDictionaryValue(CrateCode code, Work& work) const {
  if (code.is_inlined()) return Value::OfDictionary(std::make_shared<Dictionary>());
  ByteCursor cursor(bytes_.data, code.payload());
  FLEXOR_ASSIGN(auto dictionary, LoadDictionary(cursor, work));
  return Value::OfDictionary(std::move(dictionary));
}

Result<std::shared_ptr<const Dictionary>> Crate::LoadDictionary(ByteCursor& cursor,
                                                                Work& work) const {
  const std::uint64_t at = cursor.offset();
  const auto count = cursor.Take<std::uint64_t>();
  constexpr std::uint64_t kLeastEach = sizeof(std::uint32_t) + sizeof(std::int64_t);
  if (!cursor.ok() || count > cursor.remaining() / kLeastEach) {
    return Short(at, "a dictionary of " + std::to_string(count) + " entries");
  }
  auto dictionary = std::make_shared<Dictionary>();
  FLEXOR_TRY(work.Charge(count, sizeof(dictionary->entries[0]), "a dictionary"));
  dictionary->entries.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto key = cursor.Take<std::uint32_t>();
    FLEXOR_ASSIGN(const Token name, StringAt(key));
    FLEXOR_ASSIGN(Value value, LoadNested(cursor, work));
    dictionary->entries.emplace_back(name, std::move(value));
  }
  dictionary->Sort();
  return std::shared_ptr<const Dictionary>(std::move(dictionary));
}

Result<Value> Crate::LoadVector(CrateCode code, Work& work) const {
  ByteCursor cursor(bytes_.data, code.payload());
  const auto count = cursor.Take<std::uint64_t>();
  const std::uint64_t each =
      code.type() == kCrateDoubleVector ? sizeof(double) : sizeof(std::uint32_t);
  if (!cursor.ok() || count > cursor.remaining() / each) {
    return Short(code.payload(), "a list of " + std::to_string(count) + " items");
  }
  if (code.type() == kCrateDoubleVector) return LoadRawArray<double>(cursor, count, work);
  if (code.type() == kCrateTokenVector) return LoadTextArray<Token>(cursor, count, true, work);
  return LoadTextArray<String>(cursor, count, false, work);
}

template <class T, class TakeItem>
Result<ListOp<T>> Crate::LoadListOp(ByteCursor cursor, std::uint64_t bytes_each, Work& work,
                                    TakeItem&& take) const {
  const std::uint64_t at = cursor.offset();
  const auto bits = cursor.Take<std::uint8_t>();
  ListOp<T> op;
  op.is_explicit = bits & 1;
  const std::pair<std::uint8_t, std::vector<T>*> kLists[] = {
      {2, &op.explicit_items}, {4, &op.added},   {32, &op.prepended},
      {64, &op.appended},      {8, &op.deleted}, {16, &op.ordered}};
  if (bits & 0x80) return CrateError(ErrorCode::kParse, at, "list edits of an unknown kind");
  for (const auto& [bit, list] : kLists) {
    if (!(bits & bit)) continue;
    const auto count = cursor.Take<std::uint64_t>();
    if (!cursor.ok() || count > cursor.remaining() / bytes_each) {
      return Short(at, "a list of " + std::to_string(count) + " items");
    }
    FLEXOR_TRY(work.Charge(count, sizeof(T), "a list"));
    list->reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
      Result<T> item = take(cursor);
      if (!item.ok()) return std::move(item).error();
      list->push_back(*std::move(item));
    }
    if (!cursor.ok()) return Short(at, "list edits");
  }
  if (!cursor.ok()) return Short(at, "list edits");
  // Of a whole list and edits only one counts.
  if (op.is_explicit) {
    ListOp<T> whole;
    whole.is_explicit = true;
    whole.explicit_items = std::move(op.explicit_items);
    return whole;
  }
  op.explicit_items.clear();
  return op;
}

template <class T>
Result<Value> Crate::LoadNumberListOp(CrateCode code, Work& work) const {
  FLEXOR_ASSIGN(auto op,
                LoadListOp<T>(ByteCursor(bytes_.data, code.payload()), sizeof(T), work,
                              [](ByteCursor& cursor) -> Result<T> { return cursor.Take<T>(); }));
  return Value::OfListOp(std::move(op));
}

Result<Value> Crate::LoadTextListOp(CrateCode code, Work& work) const {
  const ByteCursor cursor(bytes_.data, code.payload());
  constexpr std::uint64_t kEach = sizeof(std::uint32_t);
  if (code.type() == kCrateTokenListOp) {
    FLEXOR_ASSIGN(auto op, LoadListOp<Token>(cursor, kEach, work, [&](ByteCursor& at) {
                    return TokenAt(at.Take<std::uint32_t>());
                  }));
    return Value::OfListOp(std::move(op));
  }
  FLEXOR_ASSIGN(auto op,
                LoadListOp<String>(cursor, kEach, work, [&](ByteCursor& at) -> Result<String> {
                  FLEXOR_ASSIGN(const Token text, StringAt(at.Take<std::uint32_t>()));
                  return String{text};
                }));
  return Value::OfListOp(std::move(op));
}

Result<ListOp<Path>> Crate::LoadPathListOp(std::uint64_t code, MemoryBudget& budget) const {
  const CrateCode c(code);
  if (c.type() != kCratePathListOp || c.is_array() || c.is_inlined()) {
    return CrateError(ErrorCode::kParse, c.payload(), "this is no list of paths");
  }
  Work work{budget};
  return LoadListOp<Path>(ByteCursor(bytes_.data, c.payload()), sizeof(std::uint32_t), work,
                          [&](ByteCursor& cursor) { return PathAt(cursor.Take<std::uint32_t>()); });
}

Result<Reference> Crate::TakeReference(ByteCursor& cursor, bool is_payload, Work& work) const {
  Reference reference;
  const std::uint64_t at = cursor.offset();
  FLEXOR_ASSIGN(reference.asset, StringAt(cursor.Take<std::uint32_t>()));
  FLEXOR_ASSIGN(reference.prim, PathAt(cursor.Take<std::uint32_t>()));
  if (!is_payload || version_ >= kPayloadsHaveOffsets) {
    reference.time.offset = cursor.Take<double>();
    reference.time.scale = cursor.Take<double>();
  }
  if (!is_payload) {
    FLEXOR_ASSIGN(reference.custom_data, LoadDictionary(cursor, work));
    if (reference.custom_data->entries.empty()) reference.custom_data = nullptr;
  }
  if (!cursor.ok()) return Short(at, "a reference");
  if (reference.prim.IsRoot()) reference.prim = Path();
  if (!reference.prim.empty() && (!reference.prim.IsPrim() || reference.prim.HasVariant())) {
    return CrateError(ErrorCode::kParse, at,
                      "a reference names " + reference.prim.ToString() + ", which is no prim");
  }
  return reference;
}

Result<ListOp<Reference>> Crate::LoadReferenceListOp(std::uint64_t code,
                                                     MemoryBudget& budget) const {
  const CrateCode c(code);
  Work work{budget};
  ByteCursor cursor(bytes_.data, c.payload());
  if (c.type() == kCratePayload && !c.is_array()) {
    // In old files a single payload; an empty one says that there is none.
    FLEXOR_ASSIGN(Reference payload, TakeReference(cursor, true, work));
    ListOp<Reference> op;
    op.is_explicit = true;
    if (!payload.asset.empty() || !payload.prim.empty()) {
      op.explicit_items.push_back(std::move(payload));
    }
    return op;
  }
  const bool is_payload = c.type() == kCratePayloadListOp;
  if ((c.type() != kCrateReferenceListOp && !is_payload) || c.is_array() || c.is_inlined()) {
    return CrateError(ErrorCode::kParse, c.payload(), "this is no list of references");
  }
  return LoadListOp<Reference>(cursor, 2 * sizeof(std::uint32_t), work,
                               [&](ByteCursor& at) { return TakeReference(at, is_payload, work); });
}

}  // namespace flexor::io::usd
