#include "io/uri.h"

#include <cctype>
#include <cstdint>
#include <utility>

#include "flexor/core/utf8.h"

namespace flexor::io {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The length of a leading `scheme:` without the colon, or 0. A drive letter is a scheme of length
/// one by this rule.
std::size_t SchemeLength(std::string_view text) {
  if (text.empty() || !IsLetter(text[0])) return 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ':') return i;
    if (!IsLetter(c) && !(c >= '0' && c <= '9') && c != '+' && c != '-' && c != '.') return 0;
  }
  return 0;
}

/// A name for messages: short, and without bytes that would upset a terminal.
std::string Quoted(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string quoted = "'";
  for (const char c : text.substr(0, kLongest)) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 32 || code >= 127) {
      constexpr char kDigits[] = "0123456789abcdef";
      quoted += "\\x";
      quoted += kDigits[code >> 4];
      quoted += kDigits[code & 15];
    } else {
      quoted += c;
    }
  }
  quoted += text.size() > kLongest ? "...'" : "'";
  return quoted;
}

Error Refused(ErrorCode code, std::string_view uri, std::string_view reason) {
  return {code, "the reference " + Quoted(uri) + " " + std::string(reason), {}};
}

}  // namespace

bool IsDataUri(std::string_view uri) {
  constexpr std::string_view kScheme = "data:";
  if (uri.size() < kScheme.size()) return false;
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(uri[i])) != kScheme[i]) return false;
  }
  return true;
}

Result<DataUri> DecodeDataUri(std::string_view uri, Base64Mode mode, MemoryBudget& budget) {
  const std::size_t comma = uri.find(',');
  if (!IsDataUri(uri) || comma == std::string_view::npos) {
    return Error{ErrorCode::kParse, "a data URI needs a comma before its data", {}};
  }
  std::string_view head = uri.substr(5, comma - 5);
  const std::string_view payload = uri.substr(comma + 1);
  constexpr std::string_view kBase64 = ";base64";
  const bool base64 =
      head.size() >= kBase64.size() && head.substr(head.size() - kBase64.size()) == kBase64;
  DataUri result;
  for (const char c : head.substr(0, head.find(';'))) {
    result.media_type += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (base64) {
    // Some writers percent-encode the digits '+', '/' and '='.
    std::string decoded;
    std::string_view digits = payload;
    if (payload.find('%') != std::string_view::npos) {
      FLEXOR_TRY(budget.Charge(payload.size(), 1, "a percent-encoded data URI"));
      decoded = PercentDecoded(payload);
      digits = decoded;
    }
    auto data = DecodeBase64(digits, mode, budget);
    if (!decoded.empty()) budget.Release(payload.size());
    if (!data.ok()) return std::move(data).error();
    result.bytes = std::move(data->bytes);
    result.irregularity = std::move(data->irregularity);
    return result;
  }
  FLEXOR_TRY(budget.Charge(payload.size(), 2, "a data URI"));
  const std::string decoded = PercentDecoded(payload);
  const auto* first = reinterpret_cast<const std::byte*>(decoded.data());
  result.bytes.assign(first, first + decoded.size());
  budget.Release(payload.size());
  return result;
}

std::string PercentDecoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high >= 0 && low >= 0) {
        decoded += static_cast<char>(high * 16 + low);
        i += 2;
        continue;
      }
    }
    decoded += text[i];
  }
  return decoded;
}

namespace {

/// Makes `name` safe; `uri` is how the file spells it.
Result<std::string> Resolve(std::string_view uri, std::string name, bool allow_outside) {
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < 32 || c == 127) {
      return Refused(ErrorCode::kInvalidValue, uri, "holds a control character");
    }
    if (c == '\\') c = '/';
  }
  if (!IsUtf8(name)) {
    return Refused(
        ErrorCode::kInvalidValue, uri,
        name.size() == uri.size() ? "is not UTF-8" : "is not UTF-8 once percent-decoded");
  }
  constexpr std::string_view kOutside =
      "leads out of the folder of the file; allow that only for files you trust";
  const bool absolute = name.front() == '/';
  if (!allow_outside && (absolute || SchemeLength(name) != 0)) {
    return Refused(ErrorCode::kInvalidValue, uri, kOutside);
  }
  // Resolve "." and ".." in the text, so that what is asked for is what was checked.
  std::vector<std::string_view> parts;
  std::size_t climbs = 0;  // leading ".." of the result
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('/', start), name.size());
    const std::string_view part = std::string_view(name).substr(start, end - start);
    start = end + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.size() > climbs) {
      parts.pop_back();
    } else {
      if (!allow_outside) return Refused(ErrorCode::kInvalidValue, uri, kOutside);
      if (!absolute) {
        parts.push_back(part);
        ++climbs;
      }
    }
  }
  std::string result = absolute ? "/" : "";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) result += '/';
    result += parts[i];
  }
  if (parts.empty()) return Refused(ErrorCode::kInvalidValue, uri, "names no file");
  // A first part like "C:" may surface only now ("./C:/x").
  if (!allow_outside && SchemeLength(result) != 0) {
    return Refused(ErrorCode::kInvalidValue, uri, kOutside);
  }
  return result;
}

/// What is refused before any decoding, if anything is.
Status Look(std::string_view uri) {
  if (uri.empty()) return Refused(ErrorCode::kInvalidValue, uri, "is empty");
  if (SchemeLength(uri) > 1) {
    return Refused(ErrorCode::kUnsupportedFeature, uri,
                   "names a scheme; only files beside this one and data URIs are read");
  }
  return {};
}

}  // namespace

Result<std::string> ResolveReference(std::string_view uri, bool allow_outside) {
  FLEXOR_TRY(Look(uri));
  return Resolve(uri, PercentDecoded(uri), allow_outside);
}

Result<std::string> ResolveName(std::string_view name, bool allow_outside) {
  FLEXOR_TRY(Look(name));
  return Resolve(name, std::string(name), allow_outside);
}

}  // namespace flexor::io
