#include "io/usd/usda_cursor.h"

#include <algorithm>

#include "flexor/core/utf8.h"

#include "io/usd/path.h"

namespace flexor::io::usd {
namespace {

bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

}  // namespace

void UsdaCursor::SkipComments() {
  for (;;) {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
    if (at_ == end_) return;
    const bool more = at_ + 1 != end_;
    if (*at_ == '#' || (*at_ == '/' && more && at_[1] == '/')) {
      at_ = std::find_if(at_, end_, IsLineEnd);
      return;
    }
    if (!(*at_ == '/' && more && at_[1] == '*')) return;
    const std::size_t closed = rest().find("*/", 2);
    if (closed == std::string_view::npos) {
      open_comment_ = at_;
      at_ = end_;
      return;
    }
    at_ += closed + 2;
  }
}

bool UsdaCursor::AcceptNewline() {
  if (at_ == end_ || !IsLineEnd(*at_)) return false;
  if (*at_ == '\r' && at_ + 1 != end_ && at_[1] == '\n') ++at_;
  ++at_;
  return true;
}

bool UsdaCursor::SkipLines() {
  bool any = false;
  for (;;) {
    SkipBlanks();
    if (!AcceptNewline()) return any;
    any = true;
  }
}

bool UsdaCursor::AtLineEnd() {
  SkipBlanks();
  return at_ == end_ || IsLineEnd(*at_);
}

bool UsdaCursor::Expect(char wanted) {
  return Accept(wanted) || FailExpected(std::string{'\'', wanted, '\''});
}

std::string_view UsdaCursor::PeekWord() {
  SkipBlanks();
  return rest().substr(0, IdentifierLength(rest()));
}

bool UsdaCursor::AcceptWord(std::string_view word) {
  if (PeekWord() != word) return false;
  at_ += word.size();
  return true;
}

bool UsdaCursor::Word(std::string_view& out, std::string_view what) {
  out = PeekWord();
  if (out.empty()) return FailExpected(what);
  at_ += out.size();
  return true;
}

bool UsdaCursor::PropertyName(std::string_view& out) {
  SkipBlanks();
  out = rest().substr(0, PropertyNameLength(rest()));
  if (out.empty()) return FailExpected("the name of a property");
  if (out.size() > PathTable::kMaxNameBytes) {
    return Fail(at_,
                "a name of " + std::to_string(out.size()) + " bytes; " +
                    std::to_string(PathTable::kMaxNameBytes) + " are allowed",
                ErrorCode::kLimitExceeded);
  }
  at_ += out.size();
  return true;
}

bool UsdaCursor::PathText(std::string_view& out) {
  if (!Expect('<')) return false;
  const Mark start = at_;
  while (at_ != end_ && *at_ != '>' && *at_ != '<' && !IsLineEnd(*at_)) ++at_;
  if (Peek() != '>') return FailUnclosed(start - 1, "'<'");
  out = Since(start);
  ++at_;
  return true;
}

bool UsdaCursor::AnyValue(std::string_view& out) {
  constexpr std::size_t kMaxBrackets = 32;
  SkipBlanks();
  const Mark start = at_;
  char closers[kMaxBrackets];
  std::size_t depth = 0;
  do {
    if (depth == 0) {
      SkipBlanks();
    } else {
      SkipLines();
    }
    if (at_ == end_) return depth == 0 ? FailExpected("a value") : FailUnclosed(start, "a bracket");
    const char c = *at_;
    std::string_view ignored;
    if (c == '(' || c == '[' || c == '{') {
      if (depth == kMaxBrackets) {
        return Fail(at_, "brackets nest deeper than " + std::to_string(kMaxBrackets),
                    ErrorCode::kLimitExceeded);
      }
      closers[depth++] = c == '(' ? ')' : c == '[' ? ']' : '}';
      ++at_;
    } else if (c == '"' || c == '\'') {
      if (!Quoted(ignored)) return false;
    } else if (c == '@') {
      if (!Asset(ignored)) return false;
    } else if (c == '<') {
      if (!PathText(ignored)) return false;
    } else if (c == ')' || c == ']' || c == '}') {
      if (depth == 0) return FailExpected("a value");
      if (c != closers[depth - 1]) {
        return FailExpected(std::string{'\'', closers[depth - 1], '\''});
      }
      --depth;
      ++at_;
    } else if (depth > 0) {
      ++at_;
    } else {
      // A bare word or number.
      constexpr std::string_view kEnds = " \t\r\n;,()[]{}=#\"'@<>";
      const std::string_view word = rest().substr(0, rest().find_first_of(kEnds));
      if (word.empty()) return FailExpected("a value");
      at_ += word.size();
    }
  } while (depth > 0);
  out = Since(start);
  return true;
}

bool UsdaCursor::Fail(Error error) {
  if (!error_) error_ = std::move(error);
  return false;
}

bool UsdaCursor::Fail(Mark at, std::string message, ErrorCode code) {
  if (error_) return false;
  // What comes after a comment that never ends is not there; the comment is the fault.
  if (open_comment_ != nullptr) {
    at = open_comment_;
    message = "a comment is opened by '/*' and never closed";
    code = ErrorCode::kParse;
  }
  return Fail(Error{
      code, std::move(message), {{}, LineAndColumn(at), static_cast<std::uint64_t>(at - begin_)}});
}

bool UsdaCursor::FailExpected(std::string_view what) {
  if (error_) return false;
  SkipBlanks();
  return Fail(at_, "expected " + std::string(what) + ", found " + Found());
}

bool UsdaCursor::FailUnclosed(Mark open, std::string_view what) {
  return Fail(open, std::string(what) + " is opened here and never closed");
}

bool UsdaCursor::CheckComments() { return open_comment_ == nullptr || Fail(at_, {}); }

std::string UsdaCursor::LineAndColumn(Mark at) const {
  std::uint64_t line = 1;
  Mark start = begin_;
  for (Mark c = begin_; c != at; ++c) {
    if (*c == '\n' || (*c == '\r' && (c + 1 == end_ || c[1] != '\n'))) {
      ++line;
      start = c + 1;
    }
  }
  std::uint64_t column = 1;
  for (Mark c = start; c != at; ++c) {
    if ((static_cast<unsigned char>(*c) & 0xC0) != 0x80) ++column;
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

std::string UsdaCursor::Found() const {
  if (at_ == end_) return "the end of the file";
  if (IsLineEnd(*at_)) return "the end of the line";
  const auto is_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  if (static_cast<unsigned char>(*at_) < 0x20 || *at_ == 0x7F) {
    return "the control character " + std::to_string(static_cast<int>(*at_));
  }
  Mark word = at_;
  while (word != end_ && is_word(*word)) ++word;
  if (word == at_) ++word;
  constexpr std::size_t kMostShown = 40;
  return "'" + std::string(Utf8Prefix({at_, word}, kMostShown)) + "'";
}

}  // namespace flexor::io::usd
