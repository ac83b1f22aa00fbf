#include <memory>

#include <nlohmann/json.hpp>

#include "flexor/bake/portrait.h"
#include "flexor/core/file.h"

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress_view.h"
#include "cli/table.h"

namespace flexor::cli {
namespace {

constexpr std::size_t kSheetFrames = 6;

struct Options {
  InputOptions input;
  PoseOptions pose;
  FrameOptions frames;
  MethodOptions method;
  BackendFlags backend;
  ShellOptions shell;
  std::string output, size = "640x640", mode = "shaded", joint, against;
  double yaw = 25, pitch = 10, scale_mm = 0;
  int columns = 0, samples = 3;
  bool sheet = false, follow = false, transparent = false, no_ground = false, no_label = false;
  bool json = false;
};

Error Usage(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), {}}; }

// One picture without a word about frames; a sheet or a numbered name asks for several.
Result<std::vector<bake::TimeSample>> Times(const Options& options, const asset::Clip* clip) {
  const FrameOptions& frames = options.frames;
  const bool numbered = options.output.find("{frame}") != std::string::npos;
  if (frames.Said() || (numbered && !options.sheet)) {
    return frames.Times(clip);
  }
  return bake::SpreadTimes(clip, options.sheet ? kSheetFrames : 1, frames.Rate(clip));
}

Result<bake::PortraitSettings> Settings(const Options& options, const asset::Character& character) {
  bake::PortraitSettings settings;
  FLEXOR_ASSIGN(settings.performer,
                MakePerformerSettings(options.pose, options.method, options.backend));
  FLEXOR_ASSIGN(settings.performer.deform.material_methods,
                options.method.MaterialMethods(character));
  FLEXOR_ASSIGN(settings.clip, options.pose.Clip(character));
  FLEXOR_ASSIGN(settings.times, Times(options, ClipAt(character, settings.clip)));
  FLEXOR_ASSIGN(std::tie(settings.width, settings.height), ParseSize(options.size));
  settings.mode = options.mode;
  if (!options.joint.empty()) {
    FLEXOR_ASSIGN(settings.joint, asset::FindNode(character, options.joint));
    if (options.mode != "weights") return Usage("--joint goes with --mode weights");
  }
  if (!options.against.empty()) {
    FLEXOR_ASSIGN(settings.against,
                  bake::ParseMethodChoice(options.against, settings.performer.deform));
    if (options.mode != "heat") return Usage("--against goes with --mode heat");
  }
  settings.heat_max_mm = options.scale_mm;
  settings.yaw_degrees = options.yaw;
  settings.pitch_degrees = options.pitch;
  settings.follow = options.follow || options.sheet;
  settings.transparent = options.transparent;
  settings.ground = !options.no_ground && !options.transparent;
  settings.labels = !options.no_label;
  settings.sheet = options.sheet;
  settings.columns = options.columns;
  settings.samples_per_axis = options.samples;
  return settings;
}

Result<int> Run(const Options& options, Shell& shell) {
  options.shell.Apply(shell);
  if (options.output.empty()) return Usage("say where to with -o OUT.png");
  if (options.output != "-" && ExtensionOf(options.output) != "png") {
    return Usage("render writes .png, and \"" + options.output + "\" is none");
  }
  FLEXOR_TRY(CheckOutput(options.output, {options.input.file}, {"{frame}"}, options.json));
  FLEXOR_ASSIGN(const io::Loaded loaded, options.input.Load(shell, true));
  FLEXOR_ASSIGN(const bake::PortraitSettings settings, Settings(options, loaded.character));
  const std::size_t hole = options.output.find("{frame}");
  if (settings.times.size() > 1 && !settings.sheet && hole == std::string::npos) {
    return Usage(std::to_string(settings.times.size()) +
                 " frames were asked for: put {frame} in the file name for one picture each, or "
                 "ask for one --sheet");
  }

  const std::vector<std::string> labels = bake::FrameLabels(settings.times);
  std::vector<std::string> names;
  std::vector<AtomicFile> sealed;
  const auto sink = [&](std::size_t index, std::span<const std::byte> png) -> Status {
    std::string name = options.output;
    const std::string label = settings.sheet ? "all" : labels[index];
    for (std::size_t at = hole; at != name.npos; at = name.find("{frame}", at + label.size())) {
      name.replace(at, 7, label);
    }
    FLEXOR_TRY(CheckOutput(name, {options.input.file}));
    names.push_back(name);
    if (name == "-") return WriteOutput(shell, name, png);
    FLEXOR_ASSIGN(AtomicFile file, AtomicFile::Create(name));
    FLEXOR_TRY(file.Write(png));
    FLEXOR_TRY(file.Seal());
    sealed.push_back(std::move(file));
    return {};
  };
  Diagnostics findings;
  {
    ProgressView progress(shell);
    FLEXOR_TRY(bake::DrawPortraits(loaded.character, settings, sink, progress, &findings));
  }
  shell.Say(findings);
  for (AtomicFile& file : sealed) FLEXOR_TRY(file.Commit());
  if (options.output == "-") return kDone;
  if (options.json) {
    shell.Out(nlohmann::ordered_json{{"files", names}, {"frames", settings.times.size()}}.dump(
                  2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
              "\n");
  } else {
    shell.Out("wrote " + Printable(names.front()) +
              (names.size() > 1
                   ? " to " + Printable(names.back()) + " (" + Grouped(names.size()) + " files)\n"
                   : "\n"));
  }
  return kDone;
}

}  // namespace

Command AddRender(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("render", "Draw pictures: no window, no GPU");
  options->input.Add(*app);
  app->add_option(
         "-o,--output", options->output,
         "The PNG to write; {frame} in the name makes one per frame; - for standard output")
      ->option_text("OUT.png")
      ->group("Output");
  app->add_flag("--sheet", options->sheet, "All frames side by side in one picture")
      ->group("Output");
  app->add_option("--columns", options->columns, "Of the sheet (about square)")
      ->check(WholeNumber(1, 100))
      ->option_text("N")
      ->group("Output");
  app->add_flag("--json", options->json, "Say what was written as JSON")->group("Output");
  app->add_option("--mode", options->mode,
                  "What to show; weights needs --joint, heat needs --against")
      ->check(CLI::IsMember({"shaded", "wire", "weights", "skeleton", "heat"}))
      ->option_text("shaded|wire|weights|skeleton|heat")
      ->capture_default_str()
      ->group("Picture");
  app->add_option("--joint", options->joint, "Whose weights to draw")
      ->option_text("NAME|N")
      ->group("Picture");
  app->add_option("--against", options->against, "The method to measure the distance from")
      ->option_text("METHOD")
      ->group("Picture");
  app->add_option("--scale-mm", options->scale_mm,
                  "The end of the scale of distances (the largest)")
      ->check(PositiveNumber())
      ->option_text("MM")
      ->group("Picture");
  app->add_option("--size", options->size, "Pixels")
      ->capture_default_str()
      ->option_text("WxH")
      ->group("Picture");
  app->add_option("--yaw", options->yaw, "Camera turned about +Y")
      ->check(FiniteNumber())
      ->capture_default_str()
      ->option_text("DEGREES")
      ->group("Picture");
  app->add_option("--pitch", options->pitch, "Camera raised")
      ->check(FiniteNumber())
      ->capture_default_str()
      ->option_text("DEGREES")
      ->group("Picture");
  app->add_flag("--follow", options->follow,
                "The camera moves with the character; else it sees all frames at once")
      ->group("Picture");
  app->add_flag("--transparent", options->transparent, "No background and no ground")
      ->group("Picture");
  app->add_flag("--no-ground", options->no_ground, "No ground")->group("Picture");
  app->add_flag("--no-label", options->no_label, "No words in the corner")->group("Picture");
  app->add_option("--samples", options->samples, "Rays per pixel, squared")
      ->check(WholeNumber(1, 8))
      ->capture_default_str()
      ->option_text("N")
      ->group("Picture");
  options->frames.Add(*app);
  options->pose.Add(*app);
  options->method.Add(*app, true);
  options->backend.Add(*app);
  options->shell.Add(*app, true);
  app->footer(R"(Without --frames: the first frame; with --sheet, six across the clip.

Examples:
  flexor render character.glb --frame 12 -o frame12.png
  flexor render character.glb --frames 0:60 -o walk.{frame}.png
  flexor render --sample figure --sheet -o sheet.png
  flexor render --sample figure --mode weights --joint 5 -o weights.png
  flexor render --sample elbow --frame 20 --method lbs --mode heat --against dqs -o heat.png)");
  return {app, [options](Shell& shell) { return Run(*options, shell); }};
}

}  // namespace flexor::cli
