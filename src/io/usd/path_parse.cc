// From text to paths, and what names are made of.

#include "flexor/core/utf8.h"

#include "io/usd/path.h"

namespace flexor::io::usd {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Beyond ASCII all but controls, spaces, separators and what is no character counts as a letter.
bool IsLetterBeyondAscii(std::uint32_t code) {
  if (code < 0xA1 || code == 0xAD || code == 0x1680 || code == 0x3000 || code == 0xFEFF) {
    return false;
  }
  if ((code >= 0x2000 && code <= 0x206F) || (code >= 0xFDD0 && code <= 0xFDEF)) return false;
  return (code & 0xFFFE) != 0xFFFE;
}

/// The length of the letter at the start of a text; 0 when there is none.
std::size_t LetterLength(std::string_view text) {
  if (text.empty()) return 0;
  if (static_cast<unsigned char>(text[0]) < 0x80) return IsAsciiLetter(text[0]) ? 1 : 0;
  const std::size_t length = Utf8SequenceLength(text);
  return length != 0 && IsLetterBeyondAscii(DecodeUtf8(text, length)) ? length : 0;
}

/// The length of the identifier at the start of a text; 0 when there is none.
std::size_t IdentifierLength(std::string_view text) {
  std::size_t length = LetterLength(text);
  if (length == 0) return 0;
  while (length < text.size()) {
    const std::size_t more = IsDigit(text[length]) ? 1 : LetterLength(text.substr(length));
    if (more == 0) break;
    length += more;
  }
  return length;
}

/// The length of a property's name at the start of a text; 0 when there is none.
std::size_t PropertyNameLength(std::string_view text) {
  std::size_t length = IdentifierLength(text);
  if (length == 0) return 0;
  while (length < text.size() && text[length] == ':') {
    const std::size_t more = IdentifierLength(text.substr(length + 1));
    if (more == 0) return 0;
    length += 1 + more;
  }
  return length;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

class PathParser {
 public:
  PathParser(PathTable& table, std::string_view text, Path anchor)
      : table_(table), whole_(text), rest_(text), at_(anchor) {}

  Result<Path> Parse() {
    if (whole_.empty()) return Wrong("it is empty");
    if (rest_[0] == '/') {
      rest_.remove_prefix(1);
      at_ = table_.root();
      if (rest_.empty()) return at_;
    } else {
      if (at_.empty()) return Wrong("it is relative, and there is nothing to start at");
      FLEXOR_TRY(Upwards());
    }
    if (!rest_.empty()) FLEXOR_TRY(Downwards());
    if (!table_.status().ok()) return Error(table_.status().error());
    if (at_.empty()) return Wrong("it leaves the layer");
    return at_;
  }

 private:
  Error Wrong(std::string_view what) const {
    return Error{ErrorCode::kParse,
                 "<" + std::string(whole_.substr(0, 200)) + "> is no path: " + std::string(what),
                 {}};
  }

  /// The steps "..", which stand at the start, and the lone ".".
  Status Upwards() {
    if (rest_ == ".") {
      rest_ = {};
      return {};
    }
    while (rest_.substr(0, 2) == "..") {
      at_ = at_.parent();
      if (at_.empty()) return Wrong("it leaves the layer");
      rest_.remove_prefix(2);
      if (rest_.empty()) return {};
      if (rest_[0] == '.') return {};
      if (rest_[0] != '/') return Wrong("'..' is followed by something else than '/'");
      rest_.remove_prefix(1);
      if (rest_.empty()) return Wrong("it ends in '/'");
    }
    return {};
  }

  /// Names of prims, variants, and at the end a property.
  Status Downwards() {
    bool first = true;
    while (!rest_.empty()) {
      if (rest_[0] == '.') {
        if (first && at_.IsRoot() && whole_[0] == '/') return Wrong("the root has no properties");
        return AtProperty();
      }
      if (rest_[0] == '{') {
        if (first && at_.IsRoot()) return Wrong("the root has no variants");
        FLEXOR_TRY(AtVariant());
      } else {
        if (!first && !at_.IsVariant()) {
          if (rest_[0] != '/') return Unexpected();
          rest_.remove_prefix(1);
          if (rest_.empty()) return Wrong("it ends in '/'");
        }
        FLEXOR_TRY(AtPrim());
      }
      first = false;
    }
    return {};
  }

  Status AtPrim() {
    const std::size_t length = IdentifierLength(rest_);
    if (length == 0) return Unexpected();
    FLEXOR_TRY(CheckLength(length));
    at_ = table_.Child(at_, table_.Intern(rest_.substr(0, length)));
    rest_.remove_prefix(length);
    return {};
  }

  Status AtVariant() {
    const std::size_t end = rest_.find('}');
    if (end == std::string_view::npos) return Wrong("'{' is never closed");
    const std::string_view inside = rest_.substr(1, end - 1);
    const std::size_t equals = inside.find('=');
    if (equals == std::string_view::npos) return Wrong("a variant without '='");
    const std::string_view set = Trimmed(inside.substr(0, equals));
    const std::string_view variant = Trimmed(inside.substr(equals + 1));
    if (!IsVariantSetName(set)) return Wrong("a variant set has a name that no set can have");
    if (!variant.empty() && !IsVariantName(variant)) {
      return Wrong("a variant has a name that no variant can have");
    }
    FLEXOR_TRY(CheckLength(inside.size()));
    at_ = table_.Variant(at_, table_.Intern(set), table_.Intern(variant));
    rest_.remove_prefix(end + 1);
    return {};
  }

  Status AtProperty() {
    const std::size_t length = PropertyNameLength(rest_.substr(1));
    if (length == 0) return Wrong("'.' is followed by no name of a property");
    FLEXOR_TRY(CheckLength(length));
    const std::string_view name = rest_.substr(1, length);
    rest_.remove_prefix(1 + length);
    if (!rest_.empty() && (rest_[0] == '[' || rest_[0] == '.')) {
      return Error{ErrorCode::kUnsupportedFeature,
                   "<" + std::string(whole_.substr(0, 200)) +
                       "> points into the targets of a property, an old form that is not read",
                   {}};
    }
    if (!rest_.empty()) return Unexpected();
    at_ = table_.Property(at_, table_.Intern(name));
    return {};
  }

  Error Unexpected() const {
    const std::size_t at = whole_.size() - rest_.size();
    return Wrong("no name starts at character " + std::to_string(at + 1));
  }

  Status CheckLength(std::size_t length) const {
    if (length <= PathTable::kMaxNameBytes) return {};
    return Error{ErrorCode::kLimitExceeded,
                 "a name of " + std::to_string(length) + " bytes; " +
                     std::to_string(PathTable::kMaxNameBytes) + " are allowed",
                 {}};
  }

  PathTable& table_;
  std::string_view whole_;
  std::string_view rest_;
  Path at_;
};

}  // namespace

Result<Path> PathTable::Parse(std::string_view text, Path anchor) {
  return PathParser(*this, text, anchor).Parse();
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && IdentifierLength(text) == text.size();
}

bool IsPropertyName(std::string_view text) {
  return !text.empty() && PropertyNameLength(text) == text.size();
}

bool IsVariantName(std::string_view text) {
  if (!text.empty() && text[0] == '.') text.remove_prefix(1);
  return IsVariantSetName(text);
}

bool IsVariantSetName(std::string_view text) {
  if (text.empty()) return false;
  while (!text.empty()) {
    const bool other = IsDigit(text[0]) || text[0] == '|' || text[0] == '-';
    const std::size_t length = other ? 1 : LetterLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace flexor::io::usd
