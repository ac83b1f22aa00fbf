/// @file io/gltf/check_data.h
/// The bytes that a checked document refers to: are they there, and do they keep the rules?
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flexor/core/memory_budget.h"

#include "io/gltf/accessor.h"
#include "io/gltf/buffers.h"
#include "io/gltf/check_findings.h"
#include "io/gltf/check_model.h"
#include "io/gltf/raw.h"

namespace flexor::io::gltf {

/// The values of one accessor as they are stored: integers are not made fractions.
class StoredNumbers {
 public:
  std::size_t size() const { return is_wide_ ? integers_.size() : floats_.size(); }
  double operator[](std::size_t i) const {
    return is_wide_ ? static_cast<double>(integers_[i]) : static_cast<double>(floats_[i]);
  }

 private:
  friend class CheckedData;
  std::vector<float> floats_;  // also for integers of up to 16 bits, which they hold exactly
  std::vector<std::uint32_t> integers_;
  bool is_wide_ = false;
};

/// Access to the data of a model: the reader's own decoder, shown only what it can safely read.
class CheckedData {
 public:
  /// All arguments must outlive this. Views of `document`, which is that of the model, are cut to
  /// what lies in their buffers: their lengths must have been judged before.
  CheckedData(const CheckModel& model, RawDocument& document, const Sources& sources,
              MemoryBudget& budget, Findings& findings);

  /// Fetches every buffer and reports those that are missing, too short or of the wrong type.
  void LoadBuffers(bool is_glb);
  /// Fetches every image, reports what its header tells, and notes the type that was found.
  void CheckImages(CheckModel& model, bool webp_enabled);

  /// The values of an accessor, or nothing when they cannot be read (which is reported elsewhere,
  /// as the reason is a fault of its own) or when memory is short (reported here).
  std::optional<StoredNumbers> Read(std::uint32_t accessor);
  /// The sparse indices of an accessor, likewise.
  std::optional<StoredNumbers> ReadSparseIndices(std::uint32_t accessor);
  /// Gives back the memory of what was read.
  void Release(StoredNumbers numbers);

  /// Takes `elements` from the work that all rules together may do; reports it once when it is used
  /// up.
  bool Afford(std::size_t elements);

 private:
  bool HasBytes(std::int64_t view) const;
  bool Fits(std::int64_t view, std::uint64_t offset, std::uint32_t component_bytes,
            std::uint32_t stride, std::uint64_t count, std::uint32_t element_bytes) const;
  bool SparseIndicesFit(const RawSparse& sparse) const;
  bool IsReadable(const CheckedAccessor& accessor) const;
  void LoadBuffer(std::size_t index, bool is_glb);
  void ReportBufferFault(const CheckedBuffer& buffer, const Error& error);
  /// Room for `count` numbers, charged; nothing when memory is short, which is reported.
  std::optional<StoredNumbers> Room(std::uint64_t count, bool is_wide, const std::string& pointer);
  /// What was read, when that went well.
  std::optional<StoredNumbers> Done(const Status& status, StoredNumbers numbers,
                                    const std::string& pointer);
  std::optional<std::span<const std::byte>> ImageBytes(const CheckedImage& image);

  const CheckModel& model_;
  const RawDocument& document_;
  Sources sources_;
  MemoryBudget& budget_;
  Findings& findings_;
  Diagnostics reader_diagnostics_;  // the decoder's own words; all of it is said
                                    // here as well
  std::vector<bool> has_span_;      // per view: offset and length are known
  std::vector<bool> loaded_;        // per buffer
  BufferStore store_;
  AccessorReader reader_;
  std::vector<std::byte> fetched_image_;
  std::uint64_t work_ = 0;
};

/// Applies every data rule of the model, and the rules of sparse indices.
void CheckAccessorData(CheckModel& model, CheckedData& data, Findings& findings);

/// Joints and weights of all skinned meshes, over all their sets.
void CheckInfluences(const CheckModel& model, CheckedData& data, Findings& findings);

/// The types of images against what their textures allow. After CheckedData::CheckImages.
void CheckTextureTypes(const CheckModel& model, Findings& findings);

}  // namespace flexor::io::gltf
