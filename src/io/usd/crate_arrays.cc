// Arrays of a crate: looked at where they lie when that can be, else copied or unpacked.

#include <algorithm>
#include <type_traits>
#include <utility>

#include "io/usd/compression.h"
#include "io/usd/crate.h"
#include "io/usd/crate_work.h"

namespace flexor::io::usd {
namespace {

constexpr CrateVersion kPacksIntegers{0, 5, 0};
constexpr CrateVersion kPacksReals{0, 6, 0};
constexpr CrateVersion kCountsIn64Bits{0, 7, 0};
// Shorter arrays are never packed, whatever their code says.
constexpr std::uint64_t kLeastPacked = 16;

Error Short(std::uint64_t offset, std::uint64_t count) {
  return CrateError(ErrorCode::kTruncated, offset,
                    "an array of " + std::to_string(count) +
                        " elements needs more bytes than the file has behind this");
}

template <class T>
T FromInteger(std::uint32_t bits) {
  const auto integer = static_cast<std::int32_t>(bits);
  if constexpr (std::is_same_v<T, Half>) {
    return ToHalf(static_cast<float>(integer));
  } else {
    return static_cast<T>(integer);
  }
}

}  // namespace

Result<Value> Crate::LoadArray(CrateCode code, Work& work) const {
  const ValueType type = TypeOf(code.bits());
  if (!HasArrays(type) || IsArray(code.bits() & ~(1ull << 63))) {
    return Error{
        ErrorCode::kParse, "there are no arrays of the type " + std::to_string(code.type()), {}};
  }
  const std::uint64_t at = code.payload();
  if (at == 0) {
    return WithElementType(type, [](auto element) -> Result<Value> {
      return Value::View<decltype(element)>(nullptr, nullptr, 0);
    });
  }
  ByteCursor cursor(bytes_.data, at);
  if (version_ < kPacksIntegers) cursor.Take<std::uint32_t>();
  const std::uint64_t count =
      version_ < kCountsIn64Bits ? cursor.Take<std::uint32_t>() : cursor.Take<std::uint64_t>();
  if (!cursor.ok()) return Short(at, 0);
  const bool is_integer = type == ValueType::kInt || type == ValueType::kUInt ||
                          type == ValueType::kInt64 || type == ValueType::kUInt64;
  const bool is_real =
      type == ValueType::kHalf || type == ValueType::kFloat || type == ValueType::kDouble;
  if (code.is_packed()) {
    if (!(is_integer && version_ >= kPacksIntegers) && !(is_real && version_ >= kPacksReals)) {
      return CrateError(ErrorCode::kParse, at,
                        "arrays of " + std::string(Info(type).name) + " are never packed");
    }
    if (count >= kLeastPacked) {
      return WithElementType(type, [&](auto element) -> Result<Value> {
        using T = decltype(element);
        if constexpr (std::is_same_v<T, Half> ||
                      (std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) >= 4)) {
          return LoadPackedArray<T>(cursor, count, work);
        } else {
          return Error{ErrorCode::kInternal, "no packed arrays of this kind", {}};
        }
      });
    }
  }
  switch (type) {
    case ValueType::kString:
      return LoadTextArray<String>(cursor, count, false, work);
    case ValueType::kToken:
      return LoadTextArray<Token>(cursor, count, true, work);
    case ValueType::kAsset:
      return LoadTextArray<AssetPath>(cursor, count, false, work);
    case ValueType::kPathExpression:
      return LoadTextArray<PathExpression>(cursor, count, false, work);
    default:
      return WithElementType(type, [&](auto element) -> Result<Value> {
        using T = decltype(element);
        if constexpr (std::is_same_v<T, Token> || std::is_same_v<T, String> ||
                      std::is_same_v<T, AssetPath> || std::is_same_v<T, PathExpression>) {
          return Error{ErrorCode::kInternal, "texts lie nowhere", {}};
        } else {
          return LoadRawArray<T>(cursor, count, work);
        }
      });
  }
}

template <class T>
Result<Value> Crate::LoadRawArray(ByteCursor& cursor, std::uint64_t count, Work& work) const {
  const std::uint64_t at = cursor.offset();
  if (count > cursor.remaining() / sizeof(T)) return Short(at, count);
  const auto raw = cursor.TakeBytes(count * sizeof(T));
  const auto n = static_cast<std::size_t>(count);
  if constexpr (std::is_same_v<T, bool>) {
    FLEXOR_TRY(work.Charge(count, sizeof(T), "an array"));
    const std::shared_ptr<bool[]> bools(new bool[n]);
    std::ranges::transform(raw, bools.get(), [](std::byte byte) { return byte != std::byte{}; });
    return Value::View<bool>(bools, bools.get(), n);
  } else {
    if (reinterpret_cast<std::uintptr_t>(raw.data()) % alignof(T) == 0) {
      return Value::View<T>(bytes_.owner, reinterpret_cast<const T*>(raw.data()), n);
    }
    FLEXOR_TRY(work.Charge(count, sizeof(T), "an array"));
    std::vector<T> copy(n);
    std::memcpy(static_cast<void*>(copy.data()), raw.data(), raw.size());
    return Value::ArrayOf(std::move(copy));
  }
}

template <class T>
Result<Value> Crate::LoadTextArray(ByteCursor& cursor, std::uint64_t count, bool by_token,
                                   Work& work) const {
  const std::uint64_t at = cursor.offset();
  if (count > cursor.remaining() / sizeof(std::uint32_t)) return Short(at, count);
  FLEXOR_TRY(work.Charge(count, sizeof(T), "an array"));
  std::vector<T> texts(static_cast<std::size_t>(count));
  for (T& text : texts) {
    const std::uint64_t here = cursor.offset();
    const auto index = cursor.Take<std::uint32_t>();
    auto found = by_token ? TokenAt(index) : StringAt(index);
    if (!found.ok()) return CrateError(found.error().code, here, found.error().message);
    text = T{*found};
  }
  return Value::ArrayOf(std::move(texts));
}

template <class T>
Result<Value> Crate::LoadPackedArray(ByteCursor& cursor, std::uint64_t count, Work& work) const {
  const std::uint64_t at = cursor.offset();
  if (count > MostUnpackedIntegers(cursor.remaining())) return Short(at, count);
  FLEXOR_TRY(work.Charge(count, sizeof(T), "an array"));
  const auto n = static_cast<std::size_t>(count);
  std::vector<T> elements(n);
  const auto unpack = [&](auto out) -> Status {
    const std::uint64_t here = cursor.offset();
    const auto size = cursor.Take<std::uint64_t>();
    const auto packed = cursor.TakeBytes(size);
    if (!cursor.ok()) return Short(at, count);
    auto unpacked = UnpackIntegers(packed, out, work.budget);
    if (unpacked.ok()) return {};
    return CrateError(unpacked.error().code, here, unpacked.error().message);
  };
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    static_assert(sizeof(Unsigned) == sizeof(Word));
    FLEXOR_TRY(unpack(std::span<Word>(reinterpret_cast<Word*>(elements.data()), n)));
  } else {
    const auto how = static_cast<char>(cursor.Take<std::uint8_t>());
    if (how != 'i' && how != 't') {
      return CrateError(ErrorCode::kParse, at, "an array is packed in an unknown way");
    }
    std::vector<T> table;
    if (how == 't') {
      const auto size = cursor.Take<std::uint32_t>();
      if (!cursor.ok() || size > count || size > cursor.remaining() / sizeof(T)) {
        return Short(at, size);
      }
      FLEXOR_TRY(work.Charge(size, sizeof(T), "a table of numbers"));
      table.resize(size);
      const auto raw = cursor.TakeBytes(size * sizeof(T));
      std::memcpy(static_cast<void*>(table.data()), raw.data(), raw.size());
    }
    FLEXOR_TRY(work.Charge(count, sizeof(std::uint32_t), "unpacking an array"));
    std::vector<std::uint32_t> integers(n);
    FLEXOR_TRY(unpack(std::span(integers)));
    for (std::size_t i = 0; i < n; ++i) {
      if (how == 'i') {
        elements[i] = FromInteger<T>(integers[i]);
      } else if (integers[i] < table.size()) {
        elements[i] = table[integers[i]];
      } else {
        return CrateError(ErrorCode::kIndexOutOfRange, at,
                          "element " + std::to_string(i) + " is entry " +
                              std::to_string(integers[i]) + " of a table of " +
                              std::to_string(table.size()));
      }
    }
    work.budget.Release(count * sizeof(std::uint32_t) + table.size() * sizeof(T));
  }
  return Value::ArrayOf(std::move(elements));
}

}  // namespace flexor::io::usd
