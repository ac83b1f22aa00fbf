#include "flexor/bake/bake.h"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "flexor/asset/frame_time.h"
#include "flexor/io/write_cache.h"

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress_view.h"
#include "cli/table.h"

namespace flexor::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  InputOptions input;
  PoseOptions pose;
  FrameOptions frames;
  MethodOptions method;
  BackendFlags backend;
  ShellOptions shell;
  std::string output;
  double offset = 0;
  bool merge = false, no_normals = false, all_meshes = false, json = false;
};

std::string ReportJson(const bake::BakeReport& report, double seconds) {
  Json json;
  json["files"] = report.files;
  json["point_order_file"] =
      report.point_order_file.empty() ? Json(nullptr) : Json(report.point_order_file);
  json["frames"] = report.frames;
  json["meshes"] = report.meshes;
  json["vertices"] = report.vertices;
  json["backend"] = deform::BackendName(report.backend.kind);
  json["simd_target"] = report.backend.simd_target;
  json["threads"] = report.backend.threads;
  json["non_rigid_joints"] = report.worst.non_rigid_joints;
  json["degenerate_joints"] = report.worst.degenerate_joints;
  json["flips"] = report.worst.flips;
  json["singular_normal_matrices"] = report.worst.singular_normal_matrices;
  json["joints_beyond_float"] = report.worst.joints_beyond_float;
  json["seconds"] = seconds;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string Plural(std::uint64_t count, const std::string& word, const std::string& words) {
  return Grouped(count) + " " + (count == 1 ? word : words);
}

void PrintReport(Shell& shell, const bake::BakeReport& report, double seconds) {
  std::uint64_t bytes = 0;
  for (const std::string& file : report.files) bytes += FileBytes(file);
  std::string line = "wrote " + Printable(report.files.front());
  if (report.files.size() > 1) {
    line +=
        " to " + Printable(report.files.back()) + " (" + Grouped(report.files.size()) + " files)";
  }
  line += ": " + Plural(report.frames, "frame", "frames") + ", " +
          Plural(report.meshes, "mesh", "meshes") + ", " + Grouped(report.vertices) +
          " points a frame, " + SizeText(bytes) + ", " + Decimal(seconds, seconds < 10 ? 2 : 0) +
          " s\n";
  if (!report.point_order_file.empty()) {
    line += "wrote " + Printable(report.point_order_file) + ": where each mesh's points begin\n";
  }
  shell.Out(line);
}

Result<int> Run(const Options& options, Shell& shell) {
  options.shell.Apply(shell);
  if (options.output.empty()) {
    return Error{ErrorCode::kInvalidArgument, "say where to with -o OUT", {}};
  }
  if (options.output == "-") {
    return Error{ErrorCode::kInvalidArgument,
                 "bake writes files that are filled in at the end, so it needs a name, not -",
                 {}};
  }
  FLEXOR_ASSIGN(const bake::BakeFormat format, bake::BakeFormatOf(options.output));
  FLEXOR_TRY(CheckOutput(options.output, {options.input.file}, {"{frame}", "{mesh}"}));
  FLEXOR_ASSIGN(bake::PerformerSettings performer,
                MakePerformerSettings(options.pose, options.method, options.backend));
  FLEXOR_ASSIGN(const io::Loaded loaded,
                options.input.Load(shell, format == bake::BakeFormat::kGlb));
  const asset::Character& character = loaded.character;

  bake::BakeSettings settings;
  FLEXOR_ASSIGN(settings.clip, options.pose.Clip(character));
  const asset::Clip* clip = ClipAt(character, settings.clip);
  const bool one_frame =
      !bake::HoldsFrames(format) && options.output.find("{frame}") == std::string::npos;
  const double rate = options.frames.Rate(clip);
  if (one_frame && !options.frames.Chosen()) {
    FLEXOR_ASSIGN(settings.times, bake::SpreadTimes(clip, 1, rate));
    const double last = clip == nullptr ? 0 : asset::LastFrame(*clip, rate);
    if (last > 0) {
      shell.Note("the file holds one frame of the clip's " +
                 Grouped(static_cast<std::uint64_t>(std::min(last, 1e18)) + 1) +
                 ": frame 0; choose another with --frame N, or put {frame} in the name for all");
    }
  } else {
    FLEXOR_ASSIGN(settings.times, options.frames.Times(clip));
  }
  performer.all_instances = options.all_meshes;
  FLEXOR_ASSIGN(performer.deform.material_methods, options.method.MaterialMethods(character));
  settings.performer = std::move(performer);
  settings.frames_per_second = rate;
  settings.time_offset = options.offset;
  settings.merge = options.merge;
  settings.normals = !options.no_normals;
  settings.path = options.output;

  const auto start = std::chrono::steady_clock::now();
  Result<bake::BakeReport> report = [&] {
    ProgressView progress(shell);
    return bake::Bake(character, settings, progress);
  }();
  if (!report.ok()) return std::move(report).error();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (report->worst.joints_beyond_float > 0) {
    shell.Warn(Plural(report->worst.joints_beyond_float, "joint is", "joints are") +
               " moved beyond what a float holds");
  }
  if (options.json) {
    shell.Out(ReportJson(*report, seconds));
  } else {
    PrintReport(shell, *report, seconds);
  }
  return kDone;
}

/// " .npz .pc2 …"
std::string Extensions() {
  std::string text;
  for (const io::CacheFormatInfo& info : io::CacheFormats()) {
    text += " ." + std::string(info.extension);
  }
  return text + " .glb";
}

}  // namespace

Command AddBake(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("bake", "Deform frames of a clip into a cache or meshes");
  options->input.Add(*app);
  app->add_option("-o,--output", options->output,
                  "What to write, by extension:" + Extensions() +
                      "; {frame} and {mesh} in the name make one file each")
      ->option_text("OUT")
      ->group("Output");
  app->add_flag("--merge", options->merge, "All meshes as one, for formats that hold one mesh")
      ->group("Output");
  app->add_flag("--no-normals", options->no_normals, "Positions only")->group("Output");
  app->add_flag("--all-meshes", options->all_meshes, "Also meshes outside the default scene")
      ->group("Output");
  app->add_option("--offset", options->offset, "Added to every time written; the poses stay (0)")
      ->check(FiniteNumber())
      ->option_text("SECONDS")
      ->group("Output");
  app->add_flag("--json", options->json, "Say what was written as JSON")->group("Output");
  options->frames.Add(*app);
  options->pose.Add(*app);
  options->method.Add(*app, true);
  options->backend.Add(*app);
  options->shell.Add(*app, true);
  app->footer(
      R"(Frames count from 0 in the clip's own rate. Without --frames the whole clip is baked. Files appear
when they are complete; Ctrl-C leaves nothing.

Examples:
  flexor bake character.glb -o cache.npz
  flexor bake character.glb --clip walk --frames 10:20:0.5 --method dqs -o walk.{mesh}.pc2
  flexor bake character.glb --frame 12 --merge -o pose.obj
  flexor bake --sample figure --frames 0:30:10 -o posed.{frame}.glb)");
  return {app, [options](Shell& shell) { return Run(*options, shell); }};
}

}  // namespace flexor::cli
