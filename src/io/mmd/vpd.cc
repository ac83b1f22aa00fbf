#include "flexor/io/mmd/vpd.h"

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "flexor/core/utf8.h"
#include "flexor/io/mmd/text_cp932.h"

#include "io/mmd/byte_reader.h"
#include "io/rules.h"

namespace flexor::io::mmd {
namespace {

constexpr std::string_view kSignature = "Vocaloid Pose Data file";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsSpace(char c) { return IsBlank(c) || c == '\r' || c == '\n'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

/// Walks the text. All that the grammar looks for ('/', ';', ',', digits, line ends) lies below the
/// second bytes of CP932, so bytes can be searched; braces do not, and names run to the line's end.
class VpdParser {
 public:
  VpdParser(std::string_view text, MemoryBudget& budget, Diagnostics& diagnostics)
      : text_(text), budget_(budget), diagnostics_(diagnostics) {}

  Result<VpdPose> Parse();

 private:
  bool AtEnd() const { return at_ >= text_.size(); }
  void SkipSpace();
  void SkipLine();
  Error Fault(ErrorCode code, const std::string& message) const;
  /// Takes `c` after blanks and comments.
  Status Expect(char c, std::string_view what);
  Result<float> Number();
  Status Numbers(std::string_view what, std::initializer_list<float*> out);
  /// "Bone12{" or the like at this place: moves behind the brace, or not at all.
  bool TakeHead(std::string_view word);
  Status Name(std::string& out_name, std::string& out_bytes);
  void Decode(std::string_view bytes, std::string& out_name, std::string& out_bytes);
  Status Head();
  Status Block();

  std::string_view text_;
  MemoryBudget& budget_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  bool utf8_ = false;
  VpdPose pose_;
  std::string what_ = "header";
  Tally bad_text_, ignored_;
};

void VpdParser::SkipSpace() {
  while (!AtEnd()) {
    if (IsSpace(text_[at_])) {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      SkipLine();
    } else {
      return;
    }
  }
}

void VpdParser::SkipLine() {
  const std::size_t end = text_.find('\n', at_);
  at_ = end == std::string_view::npos ? text_.size() : end + 1;
}

Error VpdParser::Fault(ErrorCode code, const std::string& message) const {
  std::size_t line = 1;
  for (const char c : text_.substr(0, at_)) line += c == '\n' ? 1 : 0;
  return ByteReader::At(code, "line " + std::to_string(line) + ": " + message, what_, at_);
}

Status VpdParser::Expect(char c, std::string_view what) {
  SkipSpace();
  const std::string wanted = "expected '" + std::string(1, c) + "' after " + std::string(what);
  if (AtEnd()) return Fault(ErrorCode::kTruncated, wanted + ", but the file ends");
  if (text_[at_] != c) return Fault(ErrorCode::kParse, wanted);
  ++at_;
  return {};
}

Result<float> VpdParser::Number() {
  SkipSpace();
  if (AtEnd()) return Fault(ErrorCode::kTruncated, "expected a number, but the file ends");
  const char* begin = text_.data() + at_;
  const char* end = text_.data() + text_.size();
  if (*begin == '+') ++begin;
  float value = 0;
  const auto [past, fault] = std::from_chars(begin, end, value);
  if (fault == std::errc::result_out_of_range) {
    // Too small is zero, too large is an error; the standard library does not say which it was.
    double wide = 1;
    std::from_chars(begin, end, wide);
    if (std::abs(wide) >= 1) return Fault(ErrorCode::kInvalidValue, "a number is too large");
    value = 0;
  }
  if (fault == std::errc::invalid_argument) return Fault(ErrorCode::kParse, "expected a number");
  if (!IsFinite(value)) return Fault(ErrorCode::kInvalidValue, "a number is not finite");
  at_ = static_cast<std::size_t>(past - text_.data());
  return value;
}

Status VpdParser::Numbers(std::string_view what, std::initializer_list<float*> out) {
  std::size_t i = 0;
  for (float* number : out) {
    FLEXOR_ASSIGN(*number, Number());
    ++i;
    FLEXOR_TRY(Expect(i == out.size() ? ';' : ',', what));
  }
  return {};
}

bool VpdParser::TakeHead(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return false;
  std::size_t end = at_ + word.size();
  while (end < text_.size() && IsDigit(text_[end])) ++end;
  if (end >= text_.size() || text_[end] != '{') return false;
  at_ = end + 1;
  return true;
}

void VpdParser::Decode(std::string_view bytes, std::string& out_name, std::string& out_bytes) {
  if (utf8_) {
    out_name = bytes;
    out_bytes = EncodeCp932(bytes).bytes;
    return;
  }
  Cp932Decoded decoded = DecodeCp932(bytes);
  if (decoded.bad_bytes != 0) {
    bad_text_.Add([&] {
      return what_ + ": the name " + Quoted(decoded.text) + " had " +
             std::to_string(decoded.bad_bytes) + " bad bytes";
    });
  }
  out_name = std::move(decoded.text);
  out_bytes = bytes;
}

Status VpdParser::Name(std::string& out_name, std::string& out_bytes) {
  const std::size_t start = at_;
  const std::size_t end = text_.find('\n', at_);
  if (end == std::string_view::npos) {
    at_ = text_.size();
    return Fault(ErrorCode::kTruncated, "expected a line after the name, but the file ends");
  }
  std::string_view name = text_.substr(start, end - start);
  for (std::size_t slash = name.find("//"); slash != std::string_view::npos;
       slash = name.find("//", slash + 1)) {
    if (slash == 0 || IsBlank(name[slash - 1])) {
      name = name.substr(0, slash);
      break;
    }
  }
  Decode(Trimmed(name), out_name, out_bytes);
  at_ = end + 1;
  return {};
}

Status VpdParser::Head() {
  if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) at_ = kByteOrderMark.size();
  if (text_.substr(at_, kSignature.size()) != kSignature) {
    return Fault(ErrorCode::kUnknownFormat,
                 "the file does not start with 'Vocaloid Pose Data file'");
  }
  bool ascii = true;
  for (const char c : text_.substr(at_)) ascii &= static_cast<unsigned char>(c) < 0x80;
  utf8_ = at_ != 0 || (!ascii && IsUtf8(text_));
  if (utf8_) Report(diagnostics_, "VPD_UTF8", "header", "the text is well-formed UTF-8");
  at_ += kSignature.size();
  SkipSpace();
  const std::size_t end = text_.find_first_of(";\n", at_);
  if (end == std::string_view::npos) {
    at_ = text_.size();
    return Fault(ErrorCode::kTruncated, "expected ';' after the model name, but the file ends");
  }
  if (text_[end] != ';') return Fault(ErrorCode::kParse, "expected ';' after the model name");
  Decode(Trimmed(text_.substr(at_, end - at_)), pose_.model_name, pose_.model_bytes);
  at_ = end + 1;
  SkipSpace();
  const auto [past, fault] =
      std::from_chars(text_.data() + at_, text_.data() + text_.size(), pose_.declared_bones);
  if (AtEnd())
    return Fault(ErrorCode::kTruncated, "expected the number of bones, but the file ends");
  if (fault != std::errc{}) return Fault(ErrorCode::kParse, "expected the number of bones");
  at_ = static_cast<std::size_t>(past - text_.data());
  return Expect(';', "the number of bones");
}

Status VpdParser::Block() {
  const std::size_t start = at_;
  if (TakeHead("Bone")) {
    what_ = "bone " + std::to_string(pose_.bones.size());
    FLEXOR_TRY(budget_.Charge(1, sizeof(VpdBone), "the bones"));
    VpdBone& bone = pose_.bones.emplace_back();
    FLEXOR_TRY(Name(bone.name, bone.bytes));
    Vec3f& t = bone.translation;
    Quatf& r = bone.rotation;
    FLEXOR_TRY(Numbers("a translation", {&t.x, &t.y, &t.z}));
    FLEXOR_TRY(Numbers("a rotation", {&r.x, &r.y, &r.z, &r.w}));
    return Expect('}', "a bone");
  }
  if (TakeHead("Morph")) {
    what_ = "morph " + std::to_string(pose_.morphs.size());
    FLEXOR_TRY(budget_.Charge(1, sizeof(VpdMorph), "the morphs"));
    VpdMorph& morph = pose_.morphs.emplace_back();
    FLEXOR_TRY(Name(morph.name, morph.bytes));
    FLEXOR_TRY(Numbers("a weight", {&morph.weight}));
    return Expect('}', "a morph");
  }
  SkipLine();
  ignored_.Add([&] { return "the line at byte " + std::to_string(start); });
  return {};
}

Result<VpdPose> VpdParser::Parse() {
  // Names are kept twice, and three bytes of UTF-8 may come from one.
  FLEXOR_TRY(budget_.Charge(text_.size(), 4, "the names"));
  FLEXOR_TRY(Head());
  for (SkipSpace(); !AtEnd(); SkipSpace()) FLEXOR_TRY(Block());
  bad_text_.ReportTo(diagnostics_, "MMD_TEXT_REPAIRED", "names");
  ignored_.ReportTo(diagnostics_, "VPD_TEXT_IGNORED", "blocks");
  if (pose_.bones.size() != pose_.declared_bones) {
    Report(diagnostics_, "VPD_COUNT_MISMATCH", "header",
           "the file says it has " + std::to_string(pose_.declared_bones) + " bones, but it has " +
               std::to_string(pose_.bones.size()));
  }
  return std::move(pose_);
}

/// Whether the reader would give that name back.
bool IsName(std::string_view bytes, bool of_model) {
  for (const char c : bytes) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 32 || code == 127 || (of_model && c == ';')) return false;
  }
  if (Trimmed(bytes) != bytes) return false;
  if (bytes.starts_with("//")) return false;
  return bytes.find(" //") == std::string_view::npos;
}

class VpdWriter {
 public:
  Result<std::vector<std::byte>> Write(const VpdPose& pose);

 private:
  Status Name(std::string_view name, std::string_view bytes, bool of_model, std::string_view what) {
    const std::string made = bytes.empty() ? EncodeCp932(name).bytes : std::string(bytes);
    if (!IsName(made, of_model)) {
      return Error{ErrorCode::kInvalidValue,
                   "the name " + Quoted(name) + " could not be read back from a pose",
                   {{}, std::string(what), std::nullopt}};
    }
    text_ += made;
    return {};
  }
  Status Number(float value, std::string_view what) {
    if (!IsFinite(value)) {
      return Error{ErrorCode::kInvalidValue, "a number is not finite", {{}, std::string(what), {}}};
    }
    char digits[64];
    const auto end =
        std::to_chars(digits, digits + sizeof(digits), value, std::chars_format::fixed).ptr;
    std::string number(digits, end);
    // Six decimals as other programs write, more where the number needs them.
    constexpr std::size_t kDecimals = 6;
    std::size_t point = number.find('.');
    if (point == std::string::npos) {
      point = number.size();
      number += '.';
    }
    const std::size_t decimals = number.size() - point - 1;
    if (decimals < kDecimals) number.append(kDecimals - decimals, '0');
    text_ += number;
    return {};
  }
  Status Numbers(std::initializer_list<float> values, std::string_view what) {
    std::size_t i = 0;
    for (const float value : values) {
      FLEXOR_TRY(Number(value, what));
      text_ += ++i == values.size() ? ';' : ',';
    }
    return {};
  }

  std::string text_;
};

Result<std::vector<std::byte>> VpdWriter::Write(const VpdPose& pose) {
  // The comments are those of MikuMikuDance. They also keep readers from taking the text for UTF-8.
  text_ = std::string(kSignature) + "\r\n\r\n";
  FLEXOR_TRY(Name(pose.model_name, pose.model_bytes, true, "header"));
  text_ += ";\t\t// " + EncodeCp932("親ファイル名").bytes + "\r\n";
  text_ += std::to_string(pose.bones.size()) + ";\t\t\t\t// " +
           EncodeCp932("総ポーズボーン数").bytes + "\r\n\r\n";
  for (std::size_t i = 0; i < pose.bones.size(); ++i) {
    const VpdBone& bone = pose.bones[i];
    const std::string what = "bone " + std::to_string(i);
    text_ += "Bone" + std::to_string(i) + "{";
    FLEXOR_TRY(Name(bone.name, bone.bytes, false, what));
    text_ += "\r\n  ";
    FLEXOR_TRY(Numbers({bone.translation.x, bone.translation.y, bone.translation.z}, what));
    text_ += "\t\t\t\t// trans x,y,z\r\n  ";
    const Quatf& r = bone.rotation;
    FLEXOR_TRY(Numbers({r.x, r.y, r.z, r.w}, what));
    text_ += "\t\t// Quaternion x,y,z,w\r\n}\r\n\r\n";
  }
  for (std::size_t i = 0; i < pose.morphs.size(); ++i) {
    const VpdMorph& morph = pose.morphs[i];
    const std::string what = "morph " + std::to_string(i);
    text_ += "Morph" + std::to_string(i) + "{";
    FLEXOR_TRY(Name(morph.name, morph.bytes, false, what));
    text_ += "\r\n  ";
    FLEXOR_TRY(Numbers({morph.weight}, what));
    text_ += "\t\t\t\t// weight\r\n}\r\n\r\n";
  }
  const auto bytes = std::as_bytes(std::span(text_));
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

}  // namespace

Result<VpdPose> ParseVpd(std::span<const std::byte> bytes, MemoryBudget& budget,
                         Diagnostics& diagnostics) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return VpdParser(text, budget, diagnostics).Parse();
}

Result<std::vector<std::byte>> WriteVpd(const VpdPose& pose) { return VpdWriter().Write(pose); }

}  // namespace flexor::io::mmd
