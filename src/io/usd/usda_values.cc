#include "io/usd/usda_values.h"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace flexor::io::usd {

bool UsdaValues::Charge(std::uint64_t count, std::uint64_t bytes, std::string_view what) {
  auto charged = paths_.budget().Charge(count, bytes, what);
  return charged.ok() || cursor_.Fail(std::move(charged).error());
}

bool UsdaValues::Intern(std::string_view text, Token& out) {
  out = paths_.Intern(text);
  return !out.empty() || text.empty() || cursor_.Fail(paths_.status().error());
}

bool UsdaValues::ReadText(Token& out) {
  std::string_view text;
  return cursor_.Quoted(text) && Intern(text, out);
}

bool UsdaValues::ReadAsset(Token& out) {
  std::string_view text;
  return cursor_.Asset(text) && Intern(text, out);
}

bool UsdaValues::ReadElement(float& out) {
  double number = 0;
  if (!cursor_.Real(number)) return false;
  // Through double, as the reference reader does; a cast beyond the range would mean nothing.
  constexpr double kRoundsToInfinity = 0x1.ffffffp127;
  if (number >= kRoundsToInfinity) number = std::numeric_limits<double>::infinity();
  if (number <= -kRoundsToInfinity) number = -std::numeric_limits<double>::infinity();
  out = static_cast<float>(number);
  return true;
}

bool UsdaValues::ReadElement(Half& out) {
  float number = 0;
  if (!ReadElement(number)) return false;
  out = ToHalf(number);
  return true;
}

template <class T>
bool UsdaValues::ReadInteger(T& out) {
  cursor_.SkipBlanks();
  const UsdaCursor::Mark at = cursor_.mark();
  std::uint64_t magnitude = 0;
  bool negative = false;
  if (!cursor_.Integer(magnitude, negative)) return false;
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  const std::uint64_t most = !negative ? kMax : std::is_signed_v<T> ? kMax + 1 : 0;
  if (magnitude > most) {
    return cursor_.Fail(at, std::string(cursor_.Since(at)) + " is outside what " +
                                std::string(Info(kValueTypeOf<T>).name) + " holds");
  }
  out = static_cast<T>(negative ? 0 - magnitude : magnitude);
  return true;
}

template <int N, class ReadPart>
bool UsdaValues::Tuple(ReadPart&& read) {
  cursor_.SkipBlanks();
  const UsdaCursor::Mark open = cursor_.mark();
  if (cursor_.Peek() != '(') {
    return cursor_.FailExpected("'(' and a tuple of " + std::to_string(N));
  }
  cursor_.Skip();
  cursor_.SkipLines();
  for (int i = 0; i < N; ++i) {
    if (i > 0) {
      if (cursor_.Peek() != ',') {
        if (cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'('");
        return cursor_.FailExpected("',' and part " + std::to_string(i + 1) + " of a tuple of " +
                                    std::to_string(N));
      }
      cursor_.Skip();
      cursor_.SkipLines();
    }
    if (cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'('");
    if (!read(i)) return false;
    cursor_.SkipBlanks();
  }
  if (cursor_.Peek() == ',') cursor_.Skip();
  cursor_.SkipLines();
  if (cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'('");
  if (cursor_.Peek() != ')') {
    return cursor_.FailExpected("')' after a tuple of " + std::to_string(N));
  }
  cursor_.Skip();
  return true;
}

template <int N, class T>
bool UsdaValues::Numbers(T (&out)[N]) {
  return Tuple<N>([&](int i) { return ReadElement(out[i]); });
}

template <class T>
bool UsdaValues::ReadElement(Vec2<T>& out) {
  T parts[2];
  if (!Numbers(parts)) return false;
  out = {parts[0], parts[1]};
  return true;
}

template <class T>
bool UsdaValues::ReadElement(Vec3<T>& out) {
  T parts[3];
  if (!Numbers(parts)) return false;
  out = {parts[0], parts[1], parts[2]};
  return true;
}

template <class T>
bool UsdaValues::ReadElement(Vec4<T>& out) {
  T parts[4];
  if (!Numbers(parts)) return false;
  out = {parts[0], parts[1], parts[2], parts[3]};
  return true;
}

// Text says the real part first.
template <class T>
bool UsdaValues::ReadElement(Quat<T>& out) {
  T parts[4];
  if (!Numbers(parts)) return false;
  out = {parts[1], parts[2], parts[3], parts[0]};
  return true;
}

bool UsdaValues::ReadElement(Quath& out) {
  Half parts[4];
  if (!Numbers(parts)) return false;
  out = {parts[1], parts[2], parts[3], parts[0]};
  return true;
}

template <int N>
bool UsdaValues::ReadElement(RowMatrix<N>& out) {
  return Tuple<N>([&](int row) { return Numbers(out.m[row]); });
}

template <class T>
bool UsdaValues::ReadArray(Value& out) {
  // A vector of bool has no elements to share.
  using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  std::vector<Stored> items;
  const bool read = List(false, [&] {
    T item{};
    if (!ReadElement(item)) return false;
    if (items.size() == items.capacity()) {
      const std::size_t capacity = std::max<std::size_t>(8, 2 * items.capacity());
      if (!Charge(capacity - items.capacity(), sizeof(Stored), "an array")) return false;
      items.reserve(capacity);
    }
    items.push_back(static_cast<Stored>(item));
    return true;
  });
  if (!read) return false;
  paths_.budget().Release((items.capacity() - items.size()) * sizeof(Stored));
  items.shrink_to_fit();
  if constexpr (std::is_same_v<T, bool>) {
    const std::shared_ptr<bool[]> bools(new bool[items.size()]);
    std::copy(items.begin(), items.end(), bools.get());
    out = Value::View<bool>(bools, bools.get(), items.size());
  } else {
    out = Value::ArrayOf<T>(std::move(items));
  }
  return true;
}

bool UsdaValues::ReadScalar(ValueType type, Value& out) {
  return WithElementType(type, [&](auto element) {
    if (!ReadElement(element)) return false;
    out = Value::Of(element);
    return true;
  });
}

bool UsdaValues::Read(const TypeName& type, Value& out) {
  if (!type.is_array) return ReadScalar(type.type, out);
  return WithElementType(type.type,
                         [&](auto element) { return ReadArray<decltype(element)>(out); });
}

bool UsdaValues::ReadDictionary(std::shared_ptr<const Dictionary>& out) {
  constexpr int kMaxDepth = 64;
  cursor_.SkipBlanks();
  const UsdaCursor::Mark open = cursor_.mark();
  if (depth_ == kMaxDepth) {
    return cursor_.Fail(open, "dictionaries nest deeper than " + std::to_string(kMaxDepth),
                        ErrorCode::kLimitExceeded);
  }
  if (!cursor_.Expect('{')) return false;
  ++depth_;
  auto dictionary = std::make_shared<Dictionary>();
  cursor_.SkipLines();
  while (cursor_.Peek() != '}') {
    if (cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'{'");
    const UsdaCursor::Mark at = cursor_.mark();
    std::string_view type_word;
    if (!cursor_.Word(type_word, "the type of an entry of a dictionary")) return false;
    const bool is_array = cursor_.Accept('[');
    if (is_array && !cursor_.Expect(']')) return false;
    auto type = FindTypeName(type_word);
    const bool is_dictionary = type_word == "dictionary" && !is_array;
    if (!type && !is_dictionary) {
      return cursor_.Fail(at, "no entry of a dictionary can have the type '" +
                                  std::string(type_word.substr(0, 60)) + "'");
    }
    std::string_view name;
    Token key;
    if (cursor_.AtQuoted() ? !cursor_.Quoted(name) : !cursor_.Word(name, "a name")) return false;
    if (!Intern(name, key) || !cursor_.Expect('=')) return false;
    Value value;
    if (is_dictionary) {
      std::shared_ptr<const Dictionary> inner;
      if (!ReadDictionary(inner)) return false;
      value = Value::OfDictionary(std::move(inner));
    } else {
      type->is_array = is_array;
      if (!Read(*type, value)) return false;
    }
    if (!Charge(1, 2 * sizeof(std::pair<Token, Value>), "a dictionary")) return false;
    dictionary->entries.emplace_back(key, std::move(value));
    bool ended = cursor_.Accept(';');
    ended |= cursor_.SkipLines();
    if (!ended && cursor_.Peek() != '}') {
      if (cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'{'");
      return cursor_.FailExpected("';' or the end of the line");
    }
  }
  cursor_.Skip();
  --depth_;
  dictionary->Sort();
  out = std::move(dictionary);
  return true;
}

bool UsdaValues::ReadSubstitutions(std::shared_ptr<const Dictionary>& out) {
  cursor_.SkipBlanks();
  const UsdaCursor::Mark open = cursor_.mark();
  if (!cursor_.Expect('{')) return false;
  auto dictionary = std::make_shared<Dictionary>();
  cursor_.SkipLines();
  while (cursor_.Peek() != '}') {
    if (cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'{'");
    Token from;
    String to;
    if (!ReadText(from) || !cursor_.Expect(':') || !ReadText(to.text)) return false;
    if (!Charge(1, 2 * sizeof(std::pair<Token, Value>), "a dictionary")) return false;
    dictionary->entries.emplace_back(from, Value::Of(to));
    const bool comma = cursor_.Accept(',');
    cursor_.SkipLines();
    if (!comma && cursor_.Peek() != '}') return cursor_.FailExpected("',' or '}'");
  }
  cursor_.Skip();
  dictionary->Sort();
  out = std::move(dictionary);
  return true;
}

}  // namespace flexor::io::usd
