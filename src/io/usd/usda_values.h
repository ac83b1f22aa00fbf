/// @file io/usd/usda_values.h
/// Values as text spells them.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "io/usd/path.h"
#include "io/usd/usda_cursor.h"
#include "io/usd/value.h"

namespace flexor::io::usd {

/// Reads values at a cursor, which keeps the first fault: false means that there is one.
class UsdaValues {
 public:
  UsdaValues(UsdaCursor& cursor, PathTable& paths) : cursor_(cursor), paths_(paths) {}

  /// A value of a declared type, scalar or array; None is none.
  bool Read(const TypeName& type, Value& out);
  bool ReadScalar(ValueType type, Value& out);
  /// { type name = value … }.
  bool ReadDictionary(std::shared_ptr<const Dictionary>& out);
  /// { "from" : "to", … }, an old form of dictionary of strings.
  bool ReadSubstitutions(std::shared_ptr<const Dictionary>& out);

  bool ReadText(Token& out);
  bool ReadAsset(Token& out);
  bool Intern(std::string_view text, Token& out);
  /// Charges `count` elements to the budget.
  bool Charge(std::uint64_t count, std::uint64_t bytes, std::string_view what);
  /// [ item, item, ] with whatever `read` reads; none between the brackets is allowed, over several
  /// lines only if `empty_lines`.
  template <class ReadItem>
  bool List(bool empty_lines, ReadItem&& read);

 private:
  template <class T>
  bool ReadArray(Value& out);
  bool ReadElement(bool& out) { return cursor_.Boolean(out); }
  bool ReadElement(std::uint8_t& out) { return ReadInteger(out); }
  bool ReadElement(std::int32_t& out) { return ReadInteger(out); }
  bool ReadElement(std::uint32_t& out) { return ReadInteger(out); }
  bool ReadElement(std::int64_t& out) { return ReadInteger(out); }
  bool ReadElement(std::uint64_t& out) { return ReadInteger(out); }
  bool ReadElement(double& out) { return cursor_.Real(out); }
  bool ReadElement(float& out);
  bool ReadElement(Half& out);
  bool ReadElement(TimeCode& out) { return cursor_.Real(out.value); }
  bool ReadElement(Token& out) { return ReadText(out); }
  bool ReadElement(String& out) { return ReadText(out.text); }
  bool ReadElement(PathExpression& out) { return ReadText(out.text); }
  bool ReadElement(AssetPath& out) { return ReadAsset(out.text); }
  template <class T>
  bool ReadElement(Vec2<T>& out);
  template <class T>
  bool ReadElement(Vec3<T>& out);
  template <class T>
  bool ReadElement(Vec4<T>& out);
  template <class T>
  bool ReadElement(Quat<T>& out);
  bool ReadElement(Quath& out);
  template <int N>
  bool ReadElement(RowMatrix<N>& out);
  template <class T>
  bool ReadInteger(T& out);
  template <int N, class ReadPart>
  bool Tuple(ReadPart&& read);
  template <int N, class T>
  bool Numbers(T (&out)[N]);

  UsdaCursor& cursor_;
  PathTable& paths_;
  int depth_ = 0;
};

template <class ReadItem>
bool UsdaValues::List(bool empty_lines, ReadItem&& read) {
  cursor_.SkipBlanks();
  const UsdaCursor::Mark open = cursor_.mark();
  if (!cursor_.Expect('[')) return false;
  const bool lines = cursor_.SkipLines();
  if (cursor_.Peek() == ']') {
    if (lines && !empty_lines) return cursor_.FailExpected("a value");
    cursor_.Skip();
    return true;
  }
  for (;;) {
    if (cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'['");
    if (!read()) return false;
    cursor_.SkipBlanks();
    const bool comma = cursor_.Peek() == ',';
    if (comma) cursor_.Skip();
    cursor_.SkipLines();
    if (cursor_.Peek() == ']') break;
    if (cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'['");
    if (!comma) return cursor_.FailExpected("',' or ']'");
  }
  cursor_.Skip();
  return true;
}

}  // namespace flexor::io::usd
