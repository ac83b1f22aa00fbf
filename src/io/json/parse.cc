#include "io/json/parse.h"

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <utility>

namespace flexor::io::json {
namespace {

// What a value may really cost: an array that doubles as it grows has up to twice its room, and
// the destructor of the library lists all elements in another array that grows the same way, old
// and new side by side; a map node carries its links, and every container or string is an
// allocation of its own.
constexpr std::uint64_t kValueBytes = 5 * sizeof(Value);
constexpr std::uint64_t kContainerBytes = 64;
constexpr std::uint64_t kStringBytes = 64;
constexpr std::size_t kWastedBytes = 4096;
// The parser keeps a token in two forms, each growing by doubling, and copies it for a message.
constexpr std::uint64_t kTokenCopies = 6;

/// The length of the longest string or word in the text, about: what the parser holds beside the
/// document.
std::uint64_t LongestToken(std::string_view text) {
  std::size_t longest = 0, start = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
      longest = std::max(longest, i - start);
      start = i;
    } else if (!quoted && (c == ',' || c == ':' || c == '[' || c == ']' || c == '{' || c == '}' ||
                           c == ' ' || c == '\n' || c == '\r' || c == '\t')) {
      longest = std::max(longest, i - start);
      start = i;
    }
  }
  return std::max(longest, text.size() - start);
}
constexpr std::uint64_t kMapNodeBytes = 48 + sizeof(std::string);

/// Builds the document from parser events, so that the limits hold while the text is read and not
/// after. Returning false from an event stops the parser.
class DocumentBuilder final : public nlohmann::json_sax<Value> {
 public:
  DocumentBuilder(std::string_view text, const ParseSettings& settings, MemoryBudget& budget,
                  Document& document)
      : text_(text), settings_(settings), budget_(budget), document_(document) {}

  bool null() override { return Add(Value(nullptr), 0); }
  bool boolean(bool value) override { return Add(Value(value), 0); }
  bool number_integer(number_integer_t value) override { return Add(Value(value), 0); }
  bool number_unsigned(number_unsigned_t value) override { return Add(Value(value), 0); }
  bool number_float(number_float_t value, const string_t&) override { return Add(Value(value), 0); }
  bool string(string_t& value) override {
    const std::uint64_t bytes = kStringBytes + value.size();
    // The parser grows strings by doubling and hands them over as they are.
    if (value.capacity() - value.size() > kWastedBytes) value.shrink_to_fit();
    return Add(Value(std::move(value)), bytes);
  }
  bool binary(binary_t&) override { return false; }  // no such thing in JSON text

  bool start_object(std::size_t) override { return Open(Value::object()); }
  bool start_array(std::size_t) override { return Open(Value::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    Frame& frame = frames_.back();
    if (!Charge(kMapNodeBytes + name.size(), 1)) return false;
    auto& members = frame.container->get_ref<Value::object_t&>();
    const auto [member, added] = members.emplace(std::move(name), nullptr);
    frame.key = &member->first;
    frame.slot = &member->second;
    if (!added) {
      ++document_.duplicate_key_count;
      if (document_.duplicate_keys.size() < Document::kMaxDuplicateKeys) {
        document_.duplicate_keys.push_back(Pointer());
      }
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& reason) override {
    if (reason.id == kNumberOverflow && position <= text_.size() && token.size() <= position) {
      overflow_ = Overflow{position - token.size(), token.size(), Pointer()};
    }
    // The position counts the bytes read, the faulty one included.
    const std::size_t offset = std::min(position > 0 ? position - 1 : 0, text_.size());
    error_ = Error{ErrorCode::kParse, Explain(offset, reason.what()), PlaceAt(offset)};
    return false;
  }

  std::optional<Error>& error() { return error_; }

  /// A number token too large for a double, on which the parser gave up.
  struct Overflow {
    std::size_t offset = 0;
    std::size_t length = 0;
    std::string pointer;
  };
  const std::optional<Overflow>& overflow() const { return overflow_; }

 private:
  static constexpr int kNumberOverflow = 406;  // nlohmann's number for it

  /// A container that is still open.
  struct Frame {
    Value* container = nullptr;
    const std::string* key = nullptr;  // the member being read, in an object
    Value* slot = nullptr;             // where its value goes
  };

  /// The JSON pointer of what is being read.
  std::string Pointer() const {
    std::string pointer;
    for (const Frame& frame : frames_) {
      if (frame.container->is_array()) {
        const std::size_t held = frame.container->size();
        // An inner open container is the last element already; otherwise the next one is being
        // read.
        pointer = JoinPointer(pointer, &frame == &frames_.back() ? held : held - 1);
      } else if (frame.key != nullptr) {
        pointer = JoinPointer(pointer, *frame.key);
      }
    }
    return pointer;
  }

  Place PlaceAt(std::size_t offset) const {
    return {settings_.path, Pointer(), settings_.base_offset + offset};
  }

  /// Line, column and the parser's own reason without its prefix and its habit of quoting.
  std::string Explain(std::size_t offset, std::string_view reason) const {
    const std::string_view before = text_.substr(0, offset);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    const auto is_code_point_start = [](char c) {
      return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
    };
    const auto column = 1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start),
                                          before.end(), is_code_point_start);
    std::string message =
        "not valid JSON at line " + std::to_string(line) + ", column " + std::to_string(column);
    constexpr std::string_view kBeforeReason = " - ";
    if (offset >= text_.size()) {
      message += ": the text ends too early";
    } else if (const auto dash = reason.find(kBeforeReason); dash != std::string_view::npos) {
      message += ": ";
      const std::string_view rest = reason.substr(dash + kBeforeReason.size());
      for (const char c : rest.substr(0, rest.find("; last read"))) {
        message += c >= ' ' && c <= '~' ? c : '?';
      }
    } else if (reason.find("number overflow") != std::string_view::npos) {
      message += ": the number is larger than a double can hold";
    }
    return message;
  }

  bool Charge(std::uint64_t bytes, std::uint64_t count) {
    if (Status charged = budget_.Charge(count, bytes, "the JSON document"); !charged.ok()) {
      error_ = std::move(charged).error();
      error_->place = {settings_.path, Pointer(), std::nullopt};
      return false;
    }
    return true;
  }

  /// Puts a value where the document stands; returns its final address or nullptr.
  Value* PutInPlace(Value&& value) {
    if (frames_.empty()) {
      document_.root = std::move(value);
      return &document_.root;
    }
    Frame& frame = frames_.back();
    if (frame.container->is_array()) {
      auto& elements = frame.container->get_ref<Value::array_t&>();
      elements.push_back(std::move(value));
      return &elements.back();
    }
    *frame.slot = std::move(value);
    return frame.slot;
  }

  bool Add(Value&& value, std::uint64_t extra_bytes) {
    if (!Charge(kValueBytes + extra_bytes, 1)) return false;
    PutInPlace(std::move(value));
    return true;
  }

  bool Open(Value&& container) {
    if (frames_.size() >= settings_.max_depth) {
      error_ = Error{ErrorCode::kLimitExceeded,
                     "the JSON nests objects and arrays deeper than the limit of " +
                         std::to_string(settings_.max_depth) + " levels",
                     {settings_.path, Pointer(), std::nullopt}};
      return false;
    }
    if (!Charge(kValueBytes + kContainerBytes, 1)) return false;
    frames_.push_back({PutInPlace(std::move(container))});
    return true;
  }

  bool Close() {
    frames_.pop_back();
    return true;
  }

  std::string_view text_;
  const ParseSettings& settings_;
  MemoryBudget& budget_;
  Document& document_;
  std::vector<Frame> frames_;
  std::optional<Error> error_;
  std::optional<Overflow> overflow_;
};

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Parses; numbers beyond a double, which the parser cannot hold, are blanked out in a copy of the
/// text one by one and put back as infinities.
Result<Document> ParseWithInfinities(std::string_view text, const ParseSettings& settings,
                                     MemoryBudget& budget) {
  struct Infinity {
    std::string pointer;
    bool negative = false;
  };
  std::vector<Infinity> infinities;
  std::string copy;
  std::uint64_t charged_before = budget.used();
  while (true) {
    Document document;
    document.byte_order_mark = text.starts_with(kByteOrderMark);
    DocumentBuilder builder(text, settings, budget, document);
    const bool done = Value::sax_parse(text.begin(), text.end(), &builder);
    if (done && !builder.error()) {
      for (const Infinity& infinity : infinities) {
        const double value = std::numeric_limits<double>::infinity();
        const Value::json_pointer pointer(infinity.pointer);
        // A duplicate key may have replaced what held it.
        if (!document.root.contains(pointer)) continue;
        document.root[pointer] = infinity.negative ? -value : value;
        document.infinities.push_back(infinity.pointer);
      }
      budget.Release(copy.size());
      return document;
    }
    if (!builder.error()) {
      return Error{ErrorCode::kInternal,
                   "the JSON parser stopped without a reason",
                   {settings.path, {}, std::nullopt}};
    }
    if (!builder.overflow() || infinities.size() == Document::kMaxInfinities) {
      return std::move(*builder.error());
    }
    budget.Release(budget.used() - charged_before);
    if (copy.empty()) {
      FLEXOR_TRY(budget.Charge(1, text.size(), "a copy of the JSON text"));
      copy = text;
      charged_before = budget.used();
    }
    const auto& overflow = *builder.overflow();
    infinities.push_back({overflow.pointer, copy[overflow.offset] == '-'});
    copy.replace(overflow.offset, overflow.length, overflow.length, ' ');
    copy[overflow.offset] = '0';
    text = copy;
  }
}

}  // namespace

Result<Document> Parse(std::string_view text, const ParseSettings& settings, MemoryBudget& budget) {
  try {
    const std::uint64_t token = LongestToken(text);
    if (Status charged = budget.Charge(token, kTokenCopies, "the longest JSON token");
        !charged.ok()) {
      Error error = std::move(charged).error();
      error.place.path = settings.path;
      return error;
    }
    auto document = ParseWithInfinities(text, settings, budget);
    budget.Release(token * kTokenCopies);
    return document;
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory,
                 "memory ran out while reading the JSON text",
                 {settings.path, {}, std::nullopt}};
  } catch (const std::exception& fault) {
    return Error{ErrorCode::kInternal,
                 std::string("the JSON parser failed unexpectedly: ") + fault.what(),
                 {settings.path, {}, std::nullopt}};
  }
}

std::string EscapePointerToken(std::string_view token) {
  std::string escaped;
  escaped.reserve(token.size());
  for (const char c : token) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string JoinPointer(std::string_view pointer, std::string_view token) {
  std::string joined(pointer);
  joined += '/';
  joined += EscapePointerToken(token);
  return joined;
}

std::string JoinPointer(std::string_view pointer, std::uint64_t index) {
  return std::string(pointer) + '/' + std::to_string(index);
}

}  // namespace flexor::io::json
