#include "flexor/asset/sample.h"

#include <array>

#include "flexor/core/version.h"

#include "asset/sample_build.h"
#include "core/guard.h"

namespace flexor::asset {
namespace {

struct Entry {
  SampleInfo info;
  Character (*make)();
};

constexpr std::array kEntries{
    Entry{{"twist", "a tube of 60 vertices whose upper half turns by 180 degrees"},
          &sample::MakeTwist},
    Entry{
        {"shear", "a tube with stretched, sheared, mirrored and flattened joints and odd weights"},
        &sample::MakeShear},
    Entry{{"elbow", "a smooth arm that bends by 130 degrees and twists by 160"},
          &sample::MakeElbow},
    Entry{{"figure", "a humanoid of 62 joints with five morphs that walks and waves"},
          &sample::MakeFigure},
    Entry{{"sdef", "a shoulder and an elbow of spherical vertices that bend by 120 degrees"},
          &sample::MakeSdef},
};

constexpr auto kInfos = [] {
  std::array<SampleInfo, kEntries.size()> infos{};
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kEntries[i].info;
  return infos;
}();

}  // namespace

std::span<const SampleInfo> Samples() { return kInfos; }

Result<Character> MakeSample(std::string_view name) {
  return GuardAllocations("a sample was made", [&]() -> Result<Character> {
    for (const Entry& entry : kEntries) {
      if (entry.info.name != name) continue;
      Character character = entry.make();
      character.source.format = "sample";
      character.source.generator = WriterName();
      character.source.title = std::string(entry.info.name);
      FLEXOR_TRY(Finalize(character));
      return character;
    }
    std::string message = "there is no sample '" + std::string(name) + "'; there are";
    for (std::size_t i = 0; i < kEntries.size(); ++i) {
      message += (i == 0 ? " " : i + 1 == kEntries.size() ? " and " : ", ");
      message += kEntries[i].info.name;
    }
    return Error{ErrorCode::kInvalidArgument, std::move(message), {}};
  });
}

}  // namespace flexor::asset
