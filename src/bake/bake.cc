#include "flexor/bake/bake.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "flexor/bake/output_name.h"
#include "flexor/io/write_cache.h"

#include "bake/bake_sink.h"

namespace flexor::bake {
namespace {

constexpr std::array<BakeFormat, 6> kFormats{BakeFormat::kNpz, BakeFormat::kPc2, BakeFormat::kMdd,
                                             BakeFormat::kObj, BakeFormat::kPly, BakeFormat::kGlb};

struct FormatFacts {
  std::string_view extension;
  bool frames = false, meshes = true, normals = true;
};

FormatFacts FactsOf(BakeFormat format) {
  if (format == BakeFormat::kGlb) return {.extension = "glb"};
  const io::CacheFormatInfo& info = io::InfoOf(CacheFormatOf(format));
  return {info.extension, info.holds_frames, info.holds_meshes, info.holds_normals};
}

Error Usage(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), {}}; }

// The name with a placeholder put in before the extension, to show in messages.
std::string WithPlaceholder(const std::string& path, std::string_view placeholder) {
  const std::size_t dot = path.rfind('.');
  return path.substr(0, dot) + "." + std::string(placeholder) + path.substr(dot);
}

// Refuses what the file or files named by `path` cannot hold, and says what would work.
Status CheckRoom(const std::string& path, const FormatFacts& facts, std::size_t frames,
                 std::size_t meshes, bool merge) {
  const std::string format(facts.extension);
  if (frames > 1 && !facts.frames && path.find("{frame}") == path.npos) {
    return Usage(std::to_string(frames) + " frames were asked for and one ." + format +
                 " file holds one: put {frame} in the file name, as in \"" +
                 WithPlaceholder(path, "{frame}") + "\", or choose one frame");
  }
  if (meshes > 1 && !merge && !facts.meshes && path.find("{mesh}") == path.npos) {
    return Error{ErrorCode::kInvalidArgument,
                 "the character has " + std::to_string(meshes) + " meshes and one ." + format +
                     " file holds one: put {mesh} in the file name, as in \"" +
                     WithPlaceholder(path, "{mesh}") + "\", or write them merged into one",
                 {{}, "BakeSettings::merge", {}}};
  }
  if (facts.frames && path.find("{frame}") != path.npos) {
    return Usage("a ." + format +
                 " file holds all frames, so {frame} in its name has no meaning; leave it out");
  }
  return {};
}

void TakeLargest(const deform::FrameReport& from, deform::FrameReport& into) {
  into.non_rigid_joints = std::max(into.non_rigid_joints, from.non_rigid_joints);
  into.degenerate_joints = std::max(into.degenerate_joints, from.degenerate_joints);
  into.flips = std::max(into.flips, from.flips);
  into.singular_normal_matrices =
      std::max(into.singular_normal_matrices, from.singular_normal_matrices);
  into.joints_beyond_float = std::max(into.joints_beyond_float, from.joints_beyond_float);
}

// An input is never overwritten, whatever the name became once its words in braces were filled in.
Status CheckInput(const asset::Character& character, const BakeSink& sink) {
  namespace fs = std::filesystem;
  const auto native = [](const std::string& path) {
    return fs::path(std::u8string(path.begin(), path.end()));
  };
  if (character.source.path.empty()) return {};
  const fs::path input = native(character.source.path);
  std::vector<std::string> files = sink.files();
  files.push_back(sink.point_order_file());
  for (const std::string& file : files) {
    std::error_code error;
    if (file.empty() || !fs::equivalent(native(file), input, error) || error) continue;
    return Error{ErrorCode::kInvalidArgument,
                 "is the input; flexor does not overwrite what it reads",
                 {file, {}, {}}};
  }
  return {};
}

Error Cancelled() { return {ErrorCode::kCancelled, "stopped; nothing was written", {}}; }

}  // namespace

Result<BakeFormat> BakeFormatOf(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  std::string extension(dot == path.npos ? "" : path.substr(dot + 1));
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string known;
  for (const BakeFormat format : kFormats) {
    const FormatFacts facts = FactsOf(format);
    if (facts.extension == extension) return format;
    known += known.empty() ? "." : ", .";
    known += facts.extension;
  }
  return Usage("the format is taken from the extension, and \"" + std::string(path) +
               "\" has none of " + known);
}

io::CacheFormat CacheFormatOf(BakeFormat format) {
  switch (format) {
    case BakeFormat::kPc2:
      return io::CacheFormat::kPc2;
    case BakeFormat::kMdd:
      return io::CacheFormat::kMdd;
    case BakeFormat::kObj:
      return io::CacheFormat::kObj;
    case BakeFormat::kPly:
      return io::CacheFormat::kPly;
    case BakeFormat::kNpz:
    case BakeFormat::kGlb:
      break;
  }
  return io::CacheFormat::kNpz;
}

bool HoldsFrames(BakeFormat format) { return FactsOf(format).frames; }
bool HoldsMeshes(BakeFormat format) { return FactsOf(format).meshes; }

Result<BakeReport> Bake(const asset::Character& character, const BakeSettings& settings,
                        ProgressFn progress) {
  FLEXOR_ASSIGN(const BakeFormat format, BakeFormatOf(settings.path));
  FLEXOR_TRY(CheckPlaceholders(settings.path, {"{frame}", "{mesh}"}));
  if (settings.times.empty()) return Usage("no frame was asked for");
  PerformerSettings performer_settings = settings.performer;
  performer_settings.tangents = format == BakeFormat::kGlb && settings.normals;
  if (!settings.normals || !FactsOf(format).normals) {
    performer_settings.deform.normals = deform::NormalMode::kNone;
  }
  FLEXOR_ASSIGN(Performer performer, Performer::Create(character, performer_settings));
  FLEXOR_TRY(CheckHasMesh(character, performer.results().size()));
  FLEXOR_TRY(CheckRoom(settings.path, FactsOf(format), settings.times.size(),
                       performer.results().size(), settings.merge));

  FLEXOR_ASSIGN(std::unique_ptr<BakeSink> sink,
                format == BakeFormat::kGlb ? MakeGlbSink(character, settings, performer)
                                           : MakeCacheSink(character, settings, format, performer));
  FLEXOR_TRY(CheckInput(character, *sink));
  BakeReport report;
  report.meshes = settings.merge ? 1 : performer.results().size();
  for (const deform::DeformedMesh& result : performer.results()) {
    report.vertices += result.positions.size();
  }
  report.backend = performer.backend().Info();
  const std::uint64_t total = settings.times.size();
  if (progress && !progress({"bake", 0, total})) return Cancelled();
  for (std::uint64_t i = 0; i < total; ++i) {
    FLEXOR_TRY(performer.Evaluate(settings.clip, settings.times[i].seconds));
    for (const deform::DeformedMesh& result : performer.results()) {
      TakeLargest(result.report, report.worst);
    }
    FLEXOR_TRY(sink->Append(performer, i));
    ++report.frames;
    if (progress && !progress({"bake", i + 1, total})) return Cancelled();
  }
  // Again, as some names are known only now.
  FLEXOR_TRY(CheckInput(character, *sink));
  FLEXOR_TRY(sink->Finish());
  report.files = sink->files();
  report.point_order_file = sink->point_order_file();
  return report;
}

}  // namespace flexor::bake
