// Numbers, truth values and texts.

#include <charconv>
#include <cmath>
#include <limits>

#include "flexor/core/utf8.h"

#include "io/usd/usda_cursor.h"

namespace flexor::io::usd {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Whether a number of correct form that is beyond what a double holds is too large, not too small.
bool IsHuge(std::string_view number) {
  if (number.starts_with('-')) number.remove_prefix(1);
  // The decimal exponent of the first digit that is not 0.
  std::int64_t exponent = -1;
  bool point = false, found = false;
  std::size_t i = 0;
  for (; i < number.size() && (IsDigit(number[i]) || number[i] == '.'); ++i) {
    if (number[i] == '.') {
      point = true;
    } else if (found || number[i] != '0') {
      found = true;
      if (!point) ++exponent;
    } else if (point) {
      --exponent;
    }
  }
  if (i < number.size()) ++i;  // e
  if (i < number.size() && number[i] == '+') ++i;
  std::int64_t written = 0;
  const auto read = std::from_chars(number.data() + i, number.data() + number.size(), written);
  if (read.ec == std::errc::result_out_of_range) return number[i] != '-';
  return written > -exponent;
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool UsdaCursor::CheckNumberEnd(Mark start) {
  const char c = Peek();
  if (IsDigit(c) || c == '.' || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
    return Fail(start, "a number goes on as '" +
                           std::string(std::string_view(start, at_ + 1).substr(0, 60)) + "'");
  }
  return true;
}

bool UsdaCursor::NumberWord(Mark start, double& out) {
  std::string_view word;
  if (AtQuoted()) {
    if (!Quoted(word)) return false;
  } else {
    const bool minus = Peek() == '-';
    at_ += minus ? 1 : 0;
    at_ += PeekWord().size();
    word = Since(start);
  }
  constexpr double kInf = std::numeric_limits<double>::infinity();
  if (word == "inf") {
    out = kInf;
  } else if (word == "-inf") {
    out = -kInf;
  } else if (word == "nan") {
    out = std::numeric_limits<double>::quiet_NaN();
  } else {
    at_ = start;
    return FailExpected("a number");
  }
  return true;
}

bool UsdaCursor::Real(double& out) {
  SkipBlanks();
  const Mark start = at_;
  Mark digit = start;
  if (digit != end_ && *digit == '-') ++digit;
  if (digit != end_ && *digit == '.') ++digit;
  if (digit == end_ || !IsDigit(*digit)) return NumberWord(start, out);
  const auto read = std::from_chars(start, end_, out);
  at_ = read.ptr;
  if (read.ec == std::errc::result_out_of_range) {
    out = IsHuge(Since(start)) ? std::numeric_limits<double>::infinity() : 0.0;
    if (*start == '-') out = -out;
  }
  return CheckNumberEnd(start);
}

bool UsdaCursor::Integer(std::uint64_t& out_magnitude, bool& out_negative) {
  SkipBlanks();
  const Mark start = at_;
  Mark digit = start;
  out_negative = digit != end_ && *digit == '-';
  if (out_negative) ++digit;
  std::uint64_t value = 0;
  const auto read = std::from_chars(digit, end_, value);
  const bool is_real =
      read.ptr != end_ && (*read.ptr == '.' || *read.ptr == 'e' || *read.ptr == 'E');
  if (read.ec == std::errc() && !is_real) {
    at_ = read.ptr;
    out_magnitude = value;
    return CheckNumberEnd(start);
  }
  if (read.ec == std::errc::result_out_of_range && !is_real) {
    at_ = read.ptr;
    return Fail(start, std::string(Since(start).substr(0, 60)) + " is no integer of 64 bits");
  }
  double real = 0;
  if (!Real(real)) return false;
  const double magnitude = std::abs(real);
  if (!(magnitude < 0x1p64) || magnitude != std::floor(magnitude)) {
    return Fail(start, std::string(Since(start).substr(0, 60)) + " is no whole number");
  }
  out_magnitude = static_cast<std::uint64_t>(magnitude);
  out_negative = real < 0;
  return true;
}

bool UsdaCursor::Boolean(bool& out) {
  SkipBlanks();
  const Mark start = at_;
  std::string_view word;
  if (AtQuoted()) {
    if (!Quoted(word)) return false;
  } else if (word = PeekWord(); !word.empty()) {
    at_ += word.size();
  } else {
    double number = 0;
    if (!Real(number)) return false;
    out = number != 0;
    return true;
  }
  out = EqualsIgnoringCase(word, "true") || EqualsIgnoringCase(word, "yes") || word == "1";
  if (out || EqualsIgnoringCase(word, "false") || EqualsIgnoringCase(word, "no") || word == "0") {
    return true;
  }
  at_ = start;
  return FailExpected("true or false");
}

bool UsdaCursor::Quoted(std::string_view& out) {
  if (!AtQuoted()) return FailExpected("a text in quotes");
  const Mark open = at_;
  const char quote = *at_;
  const std::string_view three(open, std::min<std::size_t>(3, rest().size()));
  const bool is_triple = three.size() == 3 && three[1] == quote && three[2] == quote;
  at_ += is_triple ? 3 : 1;
  const Mark start = at_;
  bool escapes = false;
  for (;; ++at_) {
    if (at_ == end_) return FailUnclosed(open, "a text in quotes");
    if (*at_ == '\\') {
      escapes = true;
      if (++at_ == end_) return FailUnclosed(open, "a text in quotes");
    } else if (*at_ == quote) {
      if (!is_triple) break;
      if (end_ - at_ >= 3 && at_[1] == quote && at_[2] == quote) break;
    }
    if (!is_triple && (*at_ == '\n' || *at_ == '\r')) {
      return Fail(open, "a text in single quotes has a line end inside; three quotes allow that");
    }
  }
  out = Since(start);
  at_ += is_triple ? 3 : 1;
  if (!escapes) return true;
  if (!Unescape(out, start)) return false;
  out = scratch_;
  return true;
}

bool UsdaCursor::Unescape(std::string_view raw, Mark start) {
  scratch_.clear();
  scratch_.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      scratch_ += raw[i];
      continue;
    }
    const std::size_t escape = i;
    const char c = raw[++i];  // there is one: a text never ends in the middle of an escape
    constexpr std::string_view kNamed = "abfnrtv";
    constexpr std::string_view kMeaning = "\a\b\f\n\r\t\v";
    int code = -1;
    if (const auto named = kNamed.find(c); named != std::string_view::npos) {
      scratch_ += kMeaning[named];
    } else if (c == 'x' && i + 1 < raw.size() && HexDigit(raw[i + 1]) >= 0) {
      code = HexDigit(raw[++i]);
      if (i + 1 < raw.size() && HexDigit(raw[i + 1]) >= 0) code = code * 16 + HexDigit(raw[++i]);
    } else if (c >= '0' && c <= '7') {
      code = c - '0';
      for (int digits = 1;
           digits < 3 && i + 1 < raw.size() && raw[i + 1] >= '0' && raw[i + 1] <= '7'; ++digits) {
        code = code * 8 + (raw[++i] - '0');
      }
    } else {
      scratch_ += c;
    }
    if (code < 0) continue;
    if (code == 0 || code > 0xFF) {
      return Fail(start + escape, "an escape gives the character " + std::to_string(code) +
                                      ", which no text can hold");
    }
    scratch_ += static_cast<char>(code);
  }
  if (!IsUtf8(scratch_)) return Fail(start, "the escapes of a text make it no UTF-8");
  return true;
}

bool UsdaCursor::Asset(std::string_view& out) {
  if (!Expect('@')) return FailExpected("an asset path in '@'");
  const Mark open = at_ - 1;
  if (rest().starts_with("@@")) {
    at_ += 2;
    const Mark start = at_;
    bool escapes = false;
    while (!rest().starts_with("@@@")) {
      if (at_ == end_ || *at_ == '\n' || *at_ == '\r') return FailUnclosed(open, "an asset path");
      const bool is_escape = rest().starts_with("\\@@@");
      escapes |= is_escape;
      at_ += is_escape ? 4 : 1;
    }
    // The last three of a longer run close it.
    while (at_ + 3 != end_ && at_[3] == '@') ++at_;
    out = Since(start);
    at_ += 3;
    if (escapes) {
      scratch_.clear();
      for (std::size_t i = 0; i < out.size(); ++i) {
        if (out.substr(i).starts_with("\\@@@")) ++i;
        scratch_ += out[i];
      }
      out = scratch_;
    }
  } else {
    const Mark start = at_;
    while (at_ != end_ && *at_ != '@' && *at_ != '\n' && *at_ != '\r') ++at_;
    if (Peek() != '@') return FailUnclosed(open, "an asset path");
    out = Since(start);
    ++at_;
  }
  for (std::string_view left = out; !left.empty();) {
    const std::uint32_t code = TakeUtf8(left);
    if (code < 0x20 || (code >= 0x7F && code < 0xA0)) {
      return Fail(open, "an asset path holds the control character " + std::to_string(code));
    }
  }
  return true;
}

}  // namespace flexor::io::usd
