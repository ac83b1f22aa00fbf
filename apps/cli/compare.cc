#include "flexor/bake/compare.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>

#include "flexor/bake/compare_page.h"
#include "flexor/bake/compare_pictures.h"
#include "flexor/bake/output_name.h"
#include "flexor/core/version.h"
#include "flexor/deform/method_name.h"

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress_view.h"
#include "cli/table.h"

namespace flexor::cli {
namespace {

namespace fs = std::filesystem;

// Enough for smooth plots and few enough to be quick.
constexpr std::size_t kDefaultFrames = 25;

struct Options {
  InputOptions input;
  PoseOptions pose;
  FrameOptions frames;
  MethodOptions method;
  BackendFlags backend;
  ShellOptions shell;
  std::string methods = "lbs,dqs";
  std::string output, size = "512x512";
  std::string ring_axis;
  std::optional<double> ring_at, ring_within, tolerance_mm;
  std::size_t pictures = 4;
  double yaw = 25, pitch = 10;
  bool json = false;
};

Error Usage(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), {}}; }

Result<Vec3d> ParseAxis(const std::string& text) {
  const std::vector<std::string> parts = SplitList(text);
  double value[3] = {};
  bool good = parts.size() == 3;
  for (std::size_t i = 0; good && i < 3; ++i) {
    const char* end = parts[i].data() + parts[i].size();
    const auto [rest, error] = std::from_chars(parts[i].data(), end, value[i]);
    good = error == std::errc() && rest == end && std::isfinite(value[i]);
  }
  good = good && (value[0] != 0 || value[1] != 0 || value[2] != 0);
  if (!good) {
    return Usage("--ring-axis must be three numbers x,y,z, not all 0, not \"" + text + "\"");
  }
  return Vec3d{value[0], value[1], value[2]};
}

Result<std::optional<bake::RingChoice>> Ring(const Options& options) {
  bake::RingChoice ring;
  if (options.ring_axis.empty()) {
    if (options.ring_at || options.ring_within) {
      return Usage("--ring-at and --ring-within need --ring-axis x,y,z");
    }
    // The twist sample exists to show its middle ring.
    if (options.input.sample != "twist") return std::optional<bake::RingChoice>();
    return std::optional(ring);
  }
  FLEXOR_ASSIGN(ring.axis, ParseAxis(options.ring_axis));
  ring.along = options.ring_at;
  ring.tolerance = options.ring_within;
  return std::optional(ring);
}

enum class Target { kNothing, kPage, kJson, kSheet, kFolder };

Result<Target> TargetOf(const std::string& output) {
  if (output.empty()) return Target::kNothing;
  if (output == "-") {
    return Usage(
        "compare needs the name of a file or folder; the numbers alone go to standard "
        "output with --json");
  }
  const std::string extension = ExtensionOf(output);
  if (extension == "html" || extension == "htm") return Target::kPage;
  if (extension == "json") return Target::kJson;
  if (extension == "png") return Target::kSheet;
  std::error_code ignored;
  const fs::path path(std::u8string(output.begin(), output.end()));
  if (extension.empty() || fs::is_directory(path, ignored) || output.ends_with('/')) {
    return Target::kFolder;
  }
  return Usage("compare writes .html, .json, .png or into a folder; \"" + output +
               "\" is none of them");
}

// A folder is made when it is not there, but not over a file; known before the work begins.
Status CheckFolder(const std::string& folder) {
  FLEXOR_TRY(bake::CheckPlaceholders(folder, {}));
  std::error_code ignored;
  const fs::path path(std::u8string(folder.begin(), folder.end()));
  if (!fs::exists(path, ignored) || fs::is_directory(path, ignored)) return {};
  return Usage("\"" + folder + "\" is a file; compare writes .html, .json, .png or into a folder");
}

// Names that are safe in a file name on every system.
std::string FileWord(std::string text) {
  for (char& c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '.' || c == '-' || static_cast<unsigned char>(c) >= 0x80;
    if (!plain) c = '_';
  }
  return text;
}

Status WriteFolder(Shell& shell, const std::string& folder, const std::string& page,
                   const std::string& json, const bake::ComparePictures& pictures) {
  std::error_code error;
  fs::create_directories(fs::path(std::u8string(folder.begin(), folder.end())), error);
  if (error) {
    return Error{
        ErrorCode::kFileUnwritable, "cannot make the folder: " + error.message(), {folder, {}, {}}};
  }
  const std::string base = folder.ends_with('/') ? folder : folder + "/";
  std::vector<bake::TimeSample> times;
  for (const bake::PictureRow& row : pictures.rows) times.push_back(row.time);
  const std::vector<std::string> labels = bake::FrameLabels(times);
  for (std::size_t i = 0; i < pictures.rows.size(); ++i) {
    for (const auto* group : {&pictures.rows[i].methods, &pictures.rows[i].heat}) {
      for (const bake::Picture& picture : *group) {
        FLEXOR_TRY(WriteOutput(shell, base + labels[i] + "." + FileWord(picture.label) + ".png",
                               picture.png));
      }
    }
  }
  if (!pictures.sheet.empty()) FLEXOR_TRY(WriteOutput(shell, base + "sheet.png", pictures.sheet));
  FLEXOR_TRY(WriteOutput(shell, base + "compare.json", json));
  return WriteOutput(shell, base + "index.html", page);
}

std::string OrDash(const std::optional<double>& value) { return value ? Decimal(*value, 4) : "-"; }

void PrintTables(Shell& shell, const bake::Comparison& comparison) {
  std::string head = comparison.character.empty() ? "character" : comparison.character;
  head += comparison.clip ? ", clip " + *comparison.clip : ", rest pose";
  head += ", " + Grouped(comparison.frames.size()) +
          (comparison.frames.size() == 1 ? " frame" : " frames") + ", " +
          Grouped(comparison.vertices) + " vertices";
  shell.Out(shell.OutColor("1", Printable(head)) + "\n");
  Table methods(
      {"method", ">mean edge", ">shortest", ">longest", ">area", ">volume", ">ring radius"});
  for (std::size_t m = 0; m < comparison.methods.size(); ++m) {
    const bake::ShapeNumbers& all = comparison.all.shapes[m];
    methods.Add({comparison.methods[m], Decimal(all.edges.mean, 4), Decimal(all.edges.min, 4),
                 Decimal(all.edges.max, 4), OrDash(all.area_ratio), OrDash(all.volume_ratio),
                 OrDash(all.ring_radius_ratio)});
  }
  shell.Out(methods.Text());
  if (comparison.all.pairs.empty()) return;
  Table pairs(
      {"between", "", ">max mm", ">rms mm", ">p99 mm", ">normals deg", ">at frame", "at vertex"});
  for (const bake::PairNumbers& pair : comparison.all.pairs) {
    pairs.Add({comparison.methods[pair.a], comparison.methods[pair.b],
               Decimal(pair.distance.max_mm, 4), Decimal(pair.distance.rms_mm, 4),
               Decimal(pair.distance.p99_mm, 4), Decimal(pair.distance.normals_max_deg, 3),
               Decimal(pair.worst_frame, 3), pair.worst_vertex});
  }
  shell.Out("\n" + pairs.Text());
}

bool WantsPictures(const Options& options, Target target) {
  return options.pictures > 0 && target != Target::kNothing && target != Target::kJson;
}

Result<bake::CompareSettings> Settings(const Options& options, Target target,
                                       const asset::Character& character) {
  bake::CompareSettings settings;
  FLEXOR_ASSIGN(settings.performer,
                MakePerformerSettings(options.pose, options.method, options.backend));
  for (const std::string& name : SplitList(options.methods)) {
    FLEXOR_ASSIGN(bake::MethodChoice method,
                  bake::ParseMethodChoice(name, settings.performer.deform));
    settings.methods.push_back(std::move(method));
  }
  if (settings.methods.empty())
    return Usage("--methods needs at least one of " + deform::MethodSyntax());
  FLEXOR_ASSIGN(settings.clip, options.pose.Clip(character));
  const asset::Clip* clip = ClipAt(character, settings.clip);
  const FrameOptions& frames = options.frames;
  if (frames.Said()) {
    FLEXOR_ASSIGN(settings.times, frames.Times(clip));
  } else {
    FLEXOR_ASSIGN(settings.times, bake::SpreadTimes(clip, kDefaultFrames, frames.Rate(clip)));
  }
  FLEXOR_ASSIGN(settings.ring, Ring(options));
  if (WantsPictures(options, target)) settings.rows = options.pictures;
  return settings;
}

Result<bake::ComparePictures> Pictures(const Options& options, Target target,
                                       const asset::Character& character,
                                       const bake::CompareSettings& settings,
                                       const bake::Comparison& comparison, Shell& shell) {
  if (!WantsPictures(options, target)) return bake::ComparePictures{};
  if (!bake::CanDraw() && target != Target::kSheet) {
    shell.Note("this build draws no pictures; the page has numbers and plots only");
    return bake::ComparePictures{};
  }
  bake::PictureChoice choice;
  FLEXOR_ASSIGN(std::tie(choice.width, choice.height), ParseSize(options.size));
  choice.yaw_degrees = options.yaw;
  choice.pitch_degrees = options.pitch;
  choice.threads = options.backend.threads;
  Diagnostics findings;
  Result<bake::ComparePictures> pictures = [&] {
    ProgressView progress(shell);
    return bake::DrawComparison(character, settings, comparison, choice, progress, &findings);
  }();
  shell.Say(findings);
  return pictures;
}

Result<int> Run(const Options& options, Shell& shell) {
  options.shell.Apply(shell);
  FLEXOR_ASSIGN(const Target target, TargetOf(options.output));
  if (target == Target::kFolder) {
    FLEXOR_TRY(CheckFolder(options.output));
  } else if (target != Target::kNothing) {
    FLEXOR_TRY(CheckOutput(options.output, {options.input.file}));
  }
  FLEXOR_ASSIGN(const io::Loaded loaded,
                options.input.Load(shell, target != Target::kNothing && target != Target::kJson));
  const asset::Character& character = loaded.character;
  FLEXOR_ASSIGN(const bake::CompareSettings settings, Settings(options, target, character));
  Result<bake::Comparison> measured = [&] {
    ProgressView progress(shell);
    return bake::CompareMethods(character, settings, progress);
  }();
  if (!measured.ok()) return std::move(measured).error();
  const bake::Comparison& comparison = *measured;
  FLEXOR_ASSIGN(const bake::ComparePictures pictures,
                Pictures(options, target, character, settings, comparison, shell));
  const std::string json = bake::ComparisonJson(comparison);
  const auto page = [&] {
    return bake::ComparePage(comparison, pictures, std::string(WriterName()));
  };
  switch (target) {
    case Target::kNothing:
      break;
    case Target::kPage:
      FLEXOR_TRY(WriteOutput(shell, options.output, page()));
      break;
    case Target::kJson:
      FLEXOR_TRY(WriteOutput(shell, options.output, json));
      break;
    case Target::kSheet:
      FLEXOR_TRY(WriteOutput(shell, options.output, pictures.sheet));
      break;
    case Target::kFolder:
      FLEXOR_TRY(WriteFolder(shell, options.output, page(), json, pictures));
      break;
  }
  if (options.json) {
    shell.Out(json);
  } else {
    PrintTables(shell, comparison);
    if (target != Target::kNothing) {
      shell.Out("\nwrote " + Printable(options.output) +
                (target == Target::kFolder ? ": index.html, compare.json and pictures\n" : "\n"));
    }
  }
  const double largest = bake::LargestDistanceMm(comparison);
  if (options.tolerance_mm && !(largest <= *options.tolerance_mm)) {
    return Error{ErrorCode::kOutsideTolerance,
                 "the methods are up to " + Decimal(largest, 6) + " mm apart; --tolerance-mm is " +
                     Decimal(*options.tolerance_mm, 6),
                 {}};
  }
  return kDone;
}

}  // namespace

Command AddCompare(CLI::App& root) {
  auto options = std::make_shared<Options>();
  // What is measured must not be the rounding of the ruler.
  options->backend.backend = "reference";
  CLI::App* app = root.add_subcommand("compare", "Methods side by side: numbers, plots, pictures");
  options->input.Add(*app);
  app->add_option("--methods", options->methods, "Which, with commas. " + MethodHelp())
      ->capture_default_str()
      ->option_text("LIST")
      ->group("Method");
  options->method.Add(*app, false);
  app->add_option("-o,--output", options->output,
                  "A page .html with everything in it, .json, a .png sheet, or a folder for all")
      ->option_text("OUT")
      ->group("Output");
  app->add_flag("--json", options->json, "The numbers as JSON on standard output")->group("Output");
  app->add_option("--tolerance-mm", options->tolerance_mm,
                  "Exit code 5 when two methods are farther apart than this anywhere")
      ->check(NonNegativeNumber())
      ->option_text("MM")
      ->group("Output");
  app->add_option("--pictures", options->pictures, "Frames to draw (4); 0 for none")
      ->check(WholeNumber(0, 64))
      ->option_text("N")
      ->group("Pictures");
  app->add_option("--size", options->size, "Of one picture, pixels")
      ->capture_default_str()
      ->option_text("WxH")
      ->group("Pictures");
  app->add_option("--yaw", options->yaw, "Camera turned about +Y")
      ->check(FiniteNumber())
      ->capture_default_str()
      ->option_text("DEGREES")
      ->group("Pictures");
  app->add_option("--pitch", options->pitch, "Camera raised")
      ->check(FiniteNumber())
      ->capture_default_str()
      ->option_text("DEGREES")
      ->group("Pictures");
  app->add_option("--ring-axis", options->ring_axis,
                  "Measure a ring of vertices around this axis through the origin (the sample "
                  "twist has its own)")
      ->option_text("x,y,z")
      ->group("Ring");
  app->add_option("--ring-at", options->ring_at, "Where along the axis (the middle)")
      ->check(FiniteNumber())
      ->option_text("METRES")
      ->group("Ring");
  app->add_option("--ring-within", options->ring_within,
                  "How far from there a vertex may lie (the nearest ring alone)")
      ->check(NonNegativeNumber())
      ->option_text("METRES")
      ->group("Ring");
  options->frames.Add(*app);
  options->pose.Add(*app);
  options->backend.Add(*app);
  options->shell.Add(*app, true);
  app->footer(R"(Without --frames: 25 frames spread over the clip. Ratios are against the rest pose.

Examples:
  flexor compare character.glb -o page.html
  flexor compare --sample twist --json
  flexor compare character.glb --methods lbs,dqs,dqs:usd --frames 0:60:5 -o out/
  flexor compare character.glb --methods file,lbs --tolerance-mm 0.1)");
  return {app, [options](Shell& shell) { return Run(*options, shell); }};
}

}  // namespace flexor::cli
