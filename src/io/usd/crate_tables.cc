// The header of a crate, and its tables of tokens, strings, fields and specs.

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "flexor/core/utf8.h"

#include "io/rules.h"
#include "io/usd/compression.h"
#include "io/usd/crate.h"

namespace flexor::io::usd {
namespace {

constexpr std::uint64_t kHeaderBytes = 88;
constexpr std::string_view kMagic = "PXR-USDC";
constexpr CrateVersion kNewest{0, 14, 255};
constexpr CrateVersion kPacksTables{0, 4, 0};
constexpr CrateVersion kNoPadding{0, 1, 0};
constexpr std::uint32_t kEndOfSet = 0xFFFFFFFF;

enum SectionIndex { kTokens, kStrings, kFields, kFieldSets, kPaths, kSpecs };
constexpr std::string_view kSectionNames[] = {"TOKENS",    "STRINGS", "FIELDS",
                                              "FIELDSETS", "PATHS",   "SPECS"};

std::string Words(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what);
}

}  // namespace

Error CrateError(ErrorCode code, std::uint64_t offset, std::string message) {
  return Error{code, std::move(message), {{}, {}, offset}};
}

Result<std::shared_ptr<Crate>> Crate::Open(const SharedBytes& bytes,
                                           std::shared_ptr<PathTable> paths,
                                           Diagnostics& diagnostics) {
  std::shared_ptr<Crate> crate(new Crate(bytes, std::move(paths)));
  // Decoding makes no texts; these are all that are not in the tables.
  crate->paths_->Intern("public");
  crate->paths_->Intern("private");
  FLEXOR_TRY(crate->ReadHeader());
  FLEXOR_TRY(crate->ReadTokens(diagnostics));
  FLEXOR_TRY(crate->ReadStrings());
  FLEXOR_TRY(crate->ReadFields());
  FLEXOR_TRY(crate->ReadFieldSets());
  FLEXOR_TRY(crate->ReadPaths());
  FLEXOR_TRY(crate->ReadSpecs());
  FLEXOR_TRY(crate->CheckSpecs());
  return crate;
}

Status Crate::ReadHeader() {
  const std::span<const std::byte> data = bytes_.data;
  if (data.size() < kHeaderBytes || !bytes_.text().starts_with(kMagic)) {
    return CrateError(ErrorCode::kUnknownFormat, 0,
                      "a binary layer starts with 'PXR-USDC' and " + Words(kHeaderBytes, "bytes") +
                          " of header; this has " + Words(data.size(), "bytes"));
  }
  ByteCursor cursor(data, kMagic.size());
  version_.major = cursor.Take<std::uint8_t>();
  version_.minor = cursor.Take<std::uint8_t>();
  version_.patch = cursor.Take<std::uint8_t>();
  if (version_ > kNewest || version_ == CrateVersion{}) {
    return CrateError(
        ErrorCode::kUnsupportedFeature, kMagic.size(),
        "a binary layer of version " + std::to_string(version_.major) + "." +
            std::to_string(version_.minor) + "." + std::to_string(version_.patch) +
            "; versions 0.0.1 to 0.14 are read. Write it anew with 0.8.0, or as text");
  }
  cursor = ByteCursor(data, 16);
  const auto contents_at = cursor.Take<std::uint64_t>();
  cursor = ByteCursor(data, contents_at);
  const auto count = cursor.Take<std::uint64_t>();
  constexpr std::uint64_t kMaxSections = 64;
  if (contents_at < kHeaderBytes || !cursor.ok() || count > kMaxSections ||
      cursor.remaining() < count * 32) {
    return CrateError(ErrorCode::kTruncated, 16,
                      "the table of contents is said to be at byte " + std::to_string(contents_at) +
                          " of " + Words(data.size(), "bytes") + " and to have " +
                          Words(count, "sections"));
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = cursor.offset();
    const auto raw = cursor.TakeBytes(16);
    std::string_view name(reinterpret_cast<const char*>(raw.data()), raw.size());
    name = name.substr(0, name.find('\0'));
    const auto start = cursor.Take<std::uint64_t>();
    const auto size = cursor.Take<std::uint64_t>();
    if (start < kHeaderBytes || start > data.size() || size > data.size() - start) {
      return CrateError(ErrorCode::kTruncated, at,
                        "the section " + RepairedUtf8(name) + " is said to be bytes " +
                            std::to_string(start) + " to " + std::to_string(start) + " + " +
                            std::to_string(size) + " of " + std::to_string(data.size()));
    }
    if (size > 0) spans.emplace_back(start, start + size);
    const auto* known = std::ranges::find(kSectionNames, name);
    if (known == std::end(kSectionNames)) continue;
    Section& section = sections_[known - std::begin(kSectionNames)];
    if (!section.name.empty()) {
      return CrateError(ErrorCode::kParse, at, "two sections " + std::string(*known));
    }
    section = {start, size, *known};
  }
  for (std::size_t i = 0; i < std::size(sections_); ++i) {
    if (sections_[i].name.empty()) {
      return CrateError(ErrorCode::kParse, contents_at,
                        "the section " + std::string(kSectionNames[i]) + " is missing");
    }
  }
  std::ranges::sort(spans);
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].first < spans[i - 1].second) {
      return CrateError(ErrorCode::kParse, spans[i].first, "two sections overlap");
    }
  }
  return {};
}

ByteCursor Crate::SectionCursor(const Section& section) const {
  return ByteCursor(bytes_.data.first(static_cast<std::size_t>(section.start + section.size)),
                    section.start);
}

Result<std::uint64_t> Crate::TakeCount(ByteCursor& cursor, const Section& section,
                                       std::uint64_t bytes_each, std::uint64_t limit) const {
  const std::uint64_t at = cursor.offset();
  const auto count = cursor.Take<std::uint64_t>();
  if (!cursor.ok()) {
    return CrateError(ErrorCode::kTruncated, at,
                      "the section " + std::string(section.name) + " ends before its count");
  }
  // Indices have 32 bits.
  if (count > limit || count >= kEndOfSet) {
    return CrateError(ErrorCode::kTruncated, at,
                      "the section " + std::string(section.name) + " is said to hold " +
                          std::to_string(count) + " entries, and its " +
                          Words(section.size, "bytes") + " can hold " + std::to_string(limit));
  }
  FLEXOR_TRY(paths_->budget().Charge(count, bytes_each, section.name));
  return count;
}

Status Crate::TakeIntegers(ByteCursor& cursor, const Section& section,
                           std::span<std::uint32_t> out) {
  const std::uint64_t at = cursor.offset();
  const auto size = cursor.Take<std::uint64_t>();
  const auto packed = cursor.TakeBytes(size);
  if (!cursor.ok()) {
    return CrateError(ErrorCode::kTruncated, at,
                      "packed numbers of the section " + std::string(section.name) + " need " +
                          Words(size, "bytes") + ", more than are left");
  }
  if (auto unpacked = UnpackIntegers(packed, out, paths_->budget()); !unpacked.ok()) {
    Error error = unpacked.error();
    error.message = "in the section " + std::string(section.name) + ": " + error.message;
    error.place.byte_offset = at;
    return error;
  }
  return {};
}

Status Crate::ReadTokens(Diagnostics& diagnostics) {
  const Section& section = sections_[kTokens];
  ByteCursor cursor = SectionCursor(section);
  FLEXOR_ASSIGN(const std::uint64_t count,
                TakeCount(cursor, section, sizeof(Token), MostUnpackedBytes(section.size)));
  const std::uint64_t at = cursor.offset();
  const auto size = cursor.Take<std::uint64_t>();
  if (version_ < kPacksTables) {
    const auto text = cursor.TakeBytes(size);
    if (!cursor.ok()) {
      return CrateError(
          ErrorCode::kTruncated, at,
          "the tokens are said to be " + Words(size, "bytes") + ", more than the section holds");
    }
    return ReadTokenTexts({reinterpret_cast<const char*>(text.data()), text.size()}, count,
                          diagnostics);
  }
  const auto packed_size = cursor.Take<std::uint64_t>();
  const auto packed = cursor.TakeBytes(packed_size);
  if (!cursor.ok() || size > MostUnpackedBytes(packed.size())) {
    return CrateError(ErrorCode::kTruncated, at,
                      "the tokens are said to be " + Words(size, "bytes") + ", packed to " +
                          std::to_string(packed_size) + "; the section has " +
                          Words(section.size, "bytes"));
  }
  MemoryBudget& budget = paths_->budget();
  FLEXOR_TRY(budget.Charge(size, 1, "unpacking tokens"));
  const auto text = std::make_unique_for_overwrite<char[]>(size);
  const auto unpacked = Unpack(packed, {reinterpret_cast<std::byte*>(text.get()), size});
  budget.Release(size);
  if (!unpacked.ok() || *unpacked != size) {
    return CrateError(unpacked.ok() ? ErrorCode::kParse : unpacked.error().code, at,
                      unpacked.ok() ? "the tokens unpack to " + Words(*unpacked, "bytes") +
                                          ", not to the " + std::to_string(size) + " that are said"
                                    : "the tokens: " + unpacked.error().message);
  }
  return ReadTokenTexts({text.get(), size}, count, diagnostics);
}

Status Crate::ReadTokenTexts(std::string_view text, std::uint64_t count, Diagnostics& diagnostics) {
  const std::uint64_t at = sections_[kTokens].start;
  if (!text.empty() && text.back() != '\0') {
    return CrateError(ErrorCode::kParse, at, "the last token does not end");
  }
  tokens_.reserve(static_cast<std::size_t>(count));
  Tally repaired;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (text.empty()) {
      return CrateError(ErrorCode::kTruncated, at,
                        "there are " + Words(i, "tokens") + " where " + std::to_string(count) +
                            " are said to be");
    }
    const std::string_view token = text.substr(0, text.find('\0'));
    text.remove_prefix(token.size() + 1);
    if (IsUtf8(token)) {
      tokens_.push_back(paths_->Intern(token));
    } else {
      const std::string better = RepairedUtf8(token);
      repaired.Add([&] { return "token " + std::to_string(i) + " became '" + better + "'"; });
      tokens_.push_back(paths_->Intern(better));
    }
  }
  repaired.ReportTo(diagnostics, "USD_TEXT_REPAIRED", "tokens");
  return paths_->status();
}

Status Crate::ReadStrings() {
  const Section& section = sections_[kStrings];
  ByteCursor cursor = SectionCursor(section);
  FLEXOR_ASSIGN(const std::uint64_t count, TakeCount(cursor, section, sizeof(std::uint32_t),
                                                     section.size / sizeof(std::uint32_t)));
  const std::uint64_t at = cursor.offset();
  strings_.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto token = cursor.Take<std::uint32_t>();
    if (!cursor.ok()) return CrateError(ErrorCode::kTruncated, at, "the strings end early");
    if (token >= tokens_.size()) {
      return CrateError(ErrorCode::kIndexOutOfRange, cursor.offset() - sizeof(token),
                        "string " + std::to_string(i) + " is token " + std::to_string(token) +
                            " of " + std::to_string(tokens_.size()));
    }
    strings_.push_back(token);
  }
  return {};
}

Status Crate::ReadFields() {
  const Section& section = sections_[kFields];
  ByteCursor cursor = SectionCursor(section);
  const bool packs = version_ >= kPacksTables;
  FLEXOR_ASSIGN(const std::uint64_t count,
                TakeCount(cursor, section, sizeof(CrateField),
                          packs ? MostUnpackedIntegers(section.size) : section.size / 16));
  const auto n = static_cast<std::size_t>(count);
  MemoryBudget& budget = paths_->budget();
  fields_.resize(n);
  const std::uint64_t at = cursor.offset();
  if (packs) {
    const std::uint64_t temporary = count * (sizeof(std::uint32_t) + sizeof(std::uint64_t));
    FLEXOR_TRY(budget.Charge(temporary, 1, "unpacking fields"));
    std::vector<std::uint32_t> tokens(n);
    std::vector<std::uint64_t> codes(n);
    FLEXOR_TRY(TakeIntegers(cursor, section, tokens));
    const auto size = cursor.Take<std::uint64_t>();
    const auto packed = cursor.TakeBytes(size);
    if (!cursor.ok()) return CrateError(ErrorCode::kTruncated, at, "the fields end early");
    if (n > 0) {
      const auto unpacked = Unpack(packed, std::as_writable_bytes(std::span(codes)));
      if (!unpacked.ok()) {
        return CrateError(unpacked.error().code, at, "the fields: " + unpacked.error().message);
      }
      if (*unpacked != n * sizeof(std::uint64_t)) {
        return CrateError(ErrorCode::kParse, at,
                          Words(count, "fields") + " unpack to " + Words(*unpacked, "bytes"));
      }
    }
    for (std::size_t i = 0; i < n; ++i) fields_[i] = {tokens[i], codes[i]};
    budget.Release(temporary);
  } else {
    for (CrateField& field : fields_) {
      cursor.Take<std::uint32_t>();
      field.token = cursor.Take<std::uint32_t>();
      field.code = cursor.Take<std::uint64_t>();
    }
    if (!cursor.ok()) return CrateError(ErrorCode::kTruncated, at, "the fields end early");
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (fields_[i].token >= tokens_.size()) {
      return CrateError(ErrorCode::kIndexOutOfRange, section.start,
                        "field " + std::to_string(i) + " is named by token " +
                            std::to_string(fields_[i].token) + " of " +
                            std::to_string(tokens_.size()));
    }
  }
  return {};
}

Status Crate::ReadFieldSets() {
  const Section& section = sections_[kFieldSets];
  ByteCursor cursor = SectionCursor(section);
  const bool packs = version_ >= kPacksTables;
  FLEXOR_ASSIGN(const std::uint64_t count,
                TakeCount(cursor, section, sizeof(std::uint32_t),
                          packs ? MostUnpackedIntegers(section.size) : section.size / 4));
  field_sets_.resize(static_cast<std::size_t>(count));
  if (packs) {
    FLEXOR_TRY(TakeIntegers(cursor, section, field_sets_));
  } else {
    for (std::uint32_t& index : field_sets_) index = cursor.Take<std::uint32_t>();
    if (!cursor.ok()) {
      return CrateError(ErrorCode::kTruncated, section.start, "the field sets end early");
    }
  }
  if (!field_sets_.empty() && field_sets_.back() != kEndOfSet) {
    return CrateError(ErrorCode::kParse, section.start, "the last field set does not end");
  }
  constexpr std::size_t kMaxRun = 65536;
  std::size_t run = 0;
  for (const std::uint32_t index : field_sets_) {
    run = index == kEndOfSet ? 0 : run + 1;
    if (run > kMaxRun) {
      return CrateError(ErrorCode::kLimitExceeded, section.start,
                        "a spec has more than " + Words(kMaxRun, "fields"));
    }
    if (index != kEndOfSet && index >= fields_.size()) {
      return CrateError(ErrorCode::kIndexOutOfRange, section.start,
                        "a field set names field " + std::to_string(index) + " of " +
                            std::to_string(fields_.size()));
    }
  }
  return {};
}

std::span<const std::uint32_t> Crate::FieldSet(std::uint32_t start) const {
  const auto first = field_sets_.begin() + start;
  return {first, std::find(first, field_sets_.end(), kEndOfSet)};
}

Status Crate::ReadSpecs() {
  const Section& section = sections_[kSpecs];
  ByteCursor cursor = SectionCursor(section);
  const bool packs = version_ >= kPacksTables;
  const std::uint64_t record = version_ < kNoPadding ? 16 : 12;
  FLEXOR_ASSIGN(const std::uint64_t count,
                TakeCount(cursor, section, sizeof(CrateSpec),
                          packs ? MostUnpackedIntegers(section.size) : section.size / record));
  const auto n = static_cast<std::size_t>(count);
  specs_.resize(n);
  if (!packs) {
    for (CrateSpec& spec : specs_) {
      if (record == 16) cursor.Take<std::uint32_t>();
      spec = cursor.Take<CrateSpec>();
    }
    if (!cursor.ok()) {
      return CrateError(ErrorCode::kTruncated, section.start, "the specs end early");
    }
    return {};
  }
  MemoryBudget& budget = paths_->budget();
  FLEXOR_TRY(budget.Charge(count, sizeof(std::uint32_t), "unpacking specs"));
  std::vector<std::uint32_t> numbers(n);
  for (std::uint32_t CrateSpec::* part :
       {&CrateSpec::path, &CrateSpec::field_set, &CrateSpec::type}) {
    FLEXOR_TRY(TakeIntegers(cursor, section, numbers));
    for (std::size_t i = 0; i < n; ++i) specs_[i].*part = numbers[i];
  }
  budget.Release(count * sizeof(std::uint32_t));
  return {};
}

Status Crate::CheckSpecs() const {
  const std::uint64_t at = sections_[kSpecs].start;
  // A run of fields may serve many specs: what all of them unfold to is bounded.
  constexpr std::uint64_t kMaxFieldUses = 16u << 20;
  std::uint64_t uses = 0;
  std::vector<bool> has_spec(all_paths_.size());
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const CrateSpec& spec = specs_[i];
    const std::string name = "spec " + std::to_string(i);
    if (spec.path >= all_paths_.size()) {
      return CrateError(ErrorCode::kIndexOutOfRange, at,
                        name + " is at path " + std::to_string(spec.path) + " of " +
                            std::to_string(all_paths_.size()));
    }
    if (has_spec[spec.path]) {
      return CrateError(ErrorCode::kParse, at,
                        "two specs are at " + all_paths_[spec.path].ToString());
    }
    has_spec[spec.path] = true;
    if (spec.type == 0 || spec.type >= 12) {
      return CrateError(ErrorCode::kParse, at,
                        name + " is of type " + std::to_string(spec.type) + "; 1 to 11 are known");
    }
    if (spec.field_set >= field_sets_.size() ||
        (spec.field_set != 0 && field_sets_[spec.field_set - 1] != kEndOfSet)) {
      return CrateError(
          ErrorCode::kIndexOutOfRange, at,
          name + " has field set " + std::to_string(spec.field_set) + ", where none starts");
    }
    uses += FieldSet(spec.field_set).size();
    if (uses > kMaxFieldUses) {
      return CrateError(ErrorCode::kLimitExceeded, at,
                        "the specs have more than " + Words(kMaxFieldUses, "fields in all"));
    }
  }
  return {};
}

}  // namespace flexor::io::usd
