/// @file io/usd/usda_cursor.h
/// A place in the text of a layer: blanks, words, numbers, quoted texts. The first fault stays,
/// with its line and column; every function that can fail returns false from then on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "flexor/core/error.h"

namespace flexor::io::usd {

class UsdaCursor {
 public:
  /// A place to come back to, or to complain about.
  using Mark = const char*;

  explicit UsdaCursor(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  Mark mark() const { return at_; }
  void GoTo(Mark mark) { at_ = mark; }
  /// The text between a mark and here.
  std::string_view Since(Mark mark) const { return {mark, static_cast<std::size_t>(at_ - mark)}; }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  bool AtEnd() const { return at_ == end_; }
  /// The next character; 0 at the end (the text itself holds none).
  char Peek() const { return at_ == end_ ? '\0' : *at_; }
  void Skip() { ++at_; }

  /// Passes spaces, tabs and comments.
  void SkipBlanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
    if (at_ != end_ && (*at_ == '#' || *at_ == '/')) SkipComments();
  }
  /// The same and line ends; true when there was one.
  bool SkipLines();
  /// Whether a line or the text ends here, blanks aside.
  bool AtLineEnd();

  /// Passes that character, blanks before it aside.
  bool Accept(char wanted) {
    SkipBlanks();
    if (Peek() != wanted) return false;
    ++at_;
    return true;
  }
  bool Expect(char wanted);
  /// Passes an identifier if it is exactly that word.
  bool AcceptWord(std::string_view word);
  /// The identifier that starts here, blanks aside, without passing it; "" when there is none.
  std::string_view PeekWord();
  /// Passes an identifier. Fails saying `what` was expected.
  bool Word(std::string_view& out, std::string_view what);
  /// Passes names joined by ':'.
  bool PropertyName(std::string_view& out);

  /// A number: 1, -2.5e3, inf, nan, or one of those words in quotes. Too large gives infinity.
  bool Real(double& out);
  /// A whole number: its magnitude and sign. 1.0 is one, 1.5 and 2^64 are none.
  bool Integer(std::uint64_t& out_magnitude, bool& out_negative);
  /// true, false, yes, no, a number, or one of those in quotes.
  bool Boolean(bool& out);
  /// A text in quotes of any kind; valid until the next call.
  bool Quoted(std::string_view& out);
  bool AtQuoted() { return SkipBlanks(), Peek() == '"' || Peek() == '\''; }
  /// @a path@ or @@@a path@@@; valid until the next call.
  bool Asset(std::string_view& out);
  /// <a path>.
  bool PathText(std::string_view& out);
  /// Passes one value of any kind: a number, word or text, or brackets with all inside.
  bool AnyValue(std::string_view& out);

  /// Records a fault unless there is one. Always false.
  bool Fail(Mark at, std::string message, ErrorCode code = ErrorCode::kParse);
  bool Fail(Error error);
  /// "expected WHAT, found …", here.
  bool FailExpected(std::string_view what);
  /// Something was opened at a mark and the text ended.
  bool FailUnclosed(Mark open, std::string_view what);
  bool ok() const { return !error_.has_value(); }
  /// The fault; call only when there is one.
  const Error& error() const { return *error_; }
  /// Whether a comment was opened that never ends: such a text is broken although all is read.
  bool CheckComments();
  /// "line 3, column 7" of a mark; columns count characters.
  std::string LineAndColumn(Mark at) const;

 private:
  void SkipComments();
  bool AcceptNewline();
  bool NumberWord(Mark start, double& out);
  bool CheckNumberEnd(Mark start);
  bool Unescape(std::string_view raw, Mark start);
  /// What stands here, in words.
  std::string Found() const;

  Mark begin_;
  Mark at_;
  Mark end_;
  Mark open_comment_ = nullptr;
  std::optional<Error> error_;
  std::string scratch_;
};

}  // namespace flexor::io::usd
