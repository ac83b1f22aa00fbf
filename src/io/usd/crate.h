/// @file io/usd/crate.h
/// The tables of a crate, and its values. Layout facts: docs/formats/usd.md.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flexor/core/diagnostic.h"

#include "io/usd/byte_cursor.h"
#include "io/usd/layer.h"
#include "io/usd/lazy_value.h"
#include "io/usd/shared_bytes.h"

namespace flexor::io::usd {

/// Of the layout.
struct CrateVersion {
  std::uint8_t major = 0, minor = 0, patch = 0;
  auto operator<=>(const CrateVersion&) const = default;
};

/// What a value representation says: eight bits of type, flags, and 48 bits that are the value or
/// the offset of it.
class CrateCode {
 public:
  explicit CrateCode(std::uint64_t bits) : bits_(bits) {}
  std::uint8_t type() const { return static_cast<std::uint8_t>(bits_ >> 48); }
  std::uint64_t payload() const { return bits_ & ((1ull << 48) - 1); }
  bool is_array() const { return bits_ >> 63 & 1; }
  bool is_inlined() const { return bits_ >> 62 & 1; }
  bool is_packed() const { return bits_ >> 61 & 1; }
  bool is_edit() const { return bits_ >> 60 & 1; }
  std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t bits_;
};

/// The numbers of the types that are more than scalars and arrays.
enum CrateType : std::uint8_t {
  kCrateString = 10,
  kCrateToken = 11,
  kCrateDictionary = 31,
  kCrateTokenListOp = 32,
  kCratePathListOp = 34,
  kCrateReferenceListOp = 35,
  kCratePathVector = 40,
  kCrateTokenVector = 41,
  kCrateSpecifier = 42,
  kCratePermission = 43,
  kCrateVariability = 44,
  kCrateSelections = 45,
  kCrateTimeSamples = 46,
  kCratePayload = 47,
  kCrateDoubleVector = 48,
  kCrateLayerOffsets = 49,
  kCrateStringVector = 50,
  kCrateBlock = 51,
  kCrateValue = 52,
  kCrateUnregistered = 53,
  kCratePayloadListOp = 55,
  kCrateRelocates = 58,
  kCrateSpline = 59,
  kCrateAnimationBlock = 60,
};

/// Which kind of value a type of a crate is; kUnsupported for what stands for itself in fields of
/// its own, and for all unknown ones.
ValueType ValueTypeOfCrate(std::uint8_t type);

/// What stands at the specs of a crate.
enum class CrateSpecType : std::uint32_t {
  kAttribute = 1,
  kConnection = 2,
  kPrim = 6,
  kPseudoRoot = 7,
  kRelationship = 8,
  kRelationshipTarget = 9,
  kVariant = 10,
  kVariantSet = 11,
};

struct CrateField {
  std::uint32_t token = 0;
  std::uint64_t code = 0;
};

struct CrateSpec {
  std::uint32_t path = 0;
  std::uint32_t field_set = 0;
  std::uint32_t type = 0;
};

/// An opened crate: all tables checked, all values still bytes.
class Crate final : public ValueSource, public std::enable_shared_from_this<Crate> {
 public:
  static Result<std::shared_ptr<Crate>> Open(const SharedBytes& bytes,
                                             std::shared_ptr<PathTable> paths,
                                             Diagnostics& diagnostics);

  CrateVersion version() const { return version_; }
  const std::vector<CrateSpec>& specs() const { return specs_; }
  const std::vector<CrateField>& fields() const { return fields_; }
  /// The indices of the fields of a set, which starts where a spec says.
  std::span<const std::uint32_t> FieldSet(std::uint32_t start) const;
  /// Empty for old forms of paths that are not read.
  Path path(std::uint32_t index) const { return all_paths_[index]; }
  Token token(std::uint32_t index) const { return tokens_[index]; }

  // ValueSource.
  Result<Value> Load(std::uint64_t code, MemoryBudget& budget) const override;
  ValueType TypeOf(std::uint64_t code) const override;
  bool IsArray(std::uint64_t code) const override;

  // Values of fields that are no plain values; kParse when the code says another type.
  Result<ListOp<Path>> LoadPathListOp(std::uint64_t code, MemoryBudget& budget) const;
  Result<ListOp<Reference>> LoadReferenceListOp(std::uint64_t code, MemoryBudget& budget) const;
  Result<std::vector<std::uint32_t>> LoadTokenIndices(std::uint64_t code) const;
  Result<std::vector<VariantSelection>> LoadSelections(std::uint64_t code,
                                                       MemoryBudget& budget) const;
  Result<std::vector<LayerOffset>> LoadLayerOffsets(std::uint64_t code) const;
  Result<std::vector<Relocate>> LoadRelocates(std::uint64_t code, MemoryBudget& budget) const;
  /// Checked: as many values as times, finite and ascending, all of one type.
  Result<std::shared_ptr<const TimeSamples>> LoadTimeSamples(std::uint64_t code,
                                                             MemoryBudget& budget) const;

 private:
  Crate(const SharedBytes& bytes, std::shared_ptr<PathTable> paths)
      : bytes_(bytes), paths_(std::move(paths)) {}

  struct Section {
    std::uint64_t start = 0;
    std::uint64_t size = 0;
    std::string_view name;
  };

  // crate_tables.cc
  Status ReadHeader();
  Status ReadTokens(Diagnostics& diagnostics);
  Status ReadTokenTexts(std::string_view text, std::uint64_t count, Diagnostics& diagnostics);
  Status ReadStrings();
  Status ReadFields();
  Status ReadFieldSets();
  Status ReadSpecs();
  Status CheckSpecs() const;
  // crate_paths.cc
  Status ReadPaths();
  Status ReadOldPaths(ByteCursor cursor, std::uint64_t count);
  Status PlacePaths(std::span<const std::uint32_t> slots, std::span<const std::uint32_t> elements,
                    std::span<const std::uint32_t> jumps);
  Result<Path> Element(Path parent, std::uint32_t token, bool is_property);
  Status Place(std::uint32_t slot, Path path, std::uint64_t offset);

  ByteCursor SectionCursor(const Section& section) const;
  Result<std::uint64_t> TakeCount(ByteCursor& cursor, const Section& section,
                                  std::uint64_t bytes_each, std::uint64_t limit) const;
  Status TakeIntegers(ByteCursor& cursor, const Section& section, std::span<std::uint32_t> out);

  // crate_values.cc
  struct Work;  // one Load: its budget, and how much it has unfolded
  Result<Value> LoadValue(CrateCode code, Work& work) const;
  Result<Value> LoadInlined(CrateCode code) const;
  Result<Value> LoadScalar(CrateCode code) const;
  Result<Value> LoadText(CrateCode code) const;
  Result<Value> LoadNested(ByteCursor& cursor, Work& work) const;
  Result<Value> LoadDictionaryValue(CrateCode code, Work& work) const;
  Result<std::shared_ptr<const Dictionary>> LoadDictionary(ByteCursor& cursor, Work& work) const;
  Result<Value> LoadVector(CrateCode code, Work& work) const;
  template <class T, class TakeItem>
  Result<ListOp<T>> LoadListOp(ByteCursor cursor, std::uint64_t bytes_each, Work& work,
                               TakeItem&& take) const;
  template <class T>
  Result<Value> LoadNumberListOp(CrateCode code, Work& work) const;
  Result<Value> LoadTextListOp(CrateCode code, Work& work) const;
  Result<Reference> TakeReference(ByteCursor& cursor, bool is_payload, Work& work) const;
  // crate_arrays.cc
  Result<Value> LoadArray(CrateCode code, Work& work) const;
  template <class T>
  Result<Value> LoadRawArray(ByteCursor& cursor, std::uint64_t count, Work& work) const;
  template <class T>
  Result<Value> LoadTextArray(ByteCursor& cursor, std::uint64_t count, bool by_token,
                              Work& work) const;
  template <class T>
  Result<Value> LoadPackedArray(ByteCursor& cursor, std::uint64_t count, Work& work) const;

  Result<Token> TokenAt(std::uint32_t index) const;
  Result<Token> StringAt(std::uint32_t index) const;
  Result<Path> PathAt(std::uint32_t index) const;
  Result<TimeSamples::Times> LoadTimes(CrateCode code, MemoryBudget& budget) const;

  SharedBytes bytes_;
  std::shared_ptr<PathTable> paths_;
  CrateVersion version_;
  Section sections_[6];
  std::vector<Token> tokens_;
  std::vector<std::uint32_t> strings_;
  std::vector<CrateField> fields_;
  std::vector<std::uint32_t> field_sets_;
  std::vector<Path> all_paths_;
  std::vector<bool> is_placed_;  // while paths are read
  std::vector<CrateSpec> specs_;
  mutable std::unordered_map<std::uint64_t, TimeSamples::Times> times_;  // by their codes
};

/// The errors of crates, with the byte they are at.
Error CrateError(ErrorCode code, std::uint64_t offset, std::string message);

}  // namespace flexor::io::usd
