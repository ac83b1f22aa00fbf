#include "cli/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "flexor/asset/frame_time.h"
#include "flexor/asset/sample.h"
#include "flexor/deform/method_name.h"
#include "flexor/io/motion.h"

#include "cli/signals.h"

namespace flexor::cli {
namespace {

Error Usage(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), {}}; }

template <class T>
Status ParseAll(pose::Override::Kind kind, const std::vector<std::string>& texts, T& out) {
  for (const std::string& text : texts) {
    FLEXOR_ASSIGN(pose::Override parsed, pose::ParseOverride(kind, text));
    out.push_back(std::move(parsed));
  }
  return {};
}

// A flag that may be given several times with one value each; a list would swallow FILE.
CLI::Option* AddRepeatable(CLI::App& app, const std::string& name, std::vector<std::string>& into,
                           const std::string& help) {
  constexpr int kMost = 1 << 20;
  return app.add_option(name, into, help)->expected(1, kMost)->allow_extra_args(false);
}

std::optional<double> NumberIn(const std::string& text) {
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  double value = 0;
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

template <class Holds>
CLI::Validator NumberThat(const std::string& wanted, Holds holds) {
  const auto check = [wanted, holds](const std::string& text) {
    const std::optional<double> value = NumberIn(text);
    if (value && holds(*value)) return std::string();
    return "must be " + wanted + ", not \"" + text + "\"";
  };
  return CLI::Validator(check, "");
}

std::string ShortText(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

// Rates beyond these make times that no format holds.
constexpr double kLeastRate = 1e-3, kMostRate = 1e6;

}  // namespace

CLI::Validator FiniteNumber() {
  return NumberThat("a finite number", [](double) { return true; });
}

CLI::Validator PositiveNumber(double least, double most) {
  if (most == 0) return NumberThat("a number above 0", [](double value) { return value > 0; });
  return NumberThat("a number from " + ShortText(least) + " to " + ShortText(most),
                    [=](double value) { return value >= least && value <= most; });
}

CLI::Validator NonNegativeNumber() {
  return NumberThat("0 or a number above it", [](double value) { return value >= 0; });
}

CLI::Validator NonZeroNumber() {
  return NumberThat("a number other than 0", [](double value) { return value != 0; });
}

CLI::Validator WholeNumber(std::int64_t least, std::int64_t most) {
  const std::string wanted =
      "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  const auto check = [=](const std::string& text) {
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* end = text.data() + text.size();
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error == std::errc() && rest == end && value >= least && value <= most) {
      return std::string();
    }
    return "must be " + wanted + ", not \"" + text + "\"";
  };
  return CLI::Validator(check, "");
}

void ShellOptions::Add(CLI::App& app, bool with_progress) {
  app.add_flag("-q,--quiet", quiet, "No notes and warnings on stderr; errors stay")
      ->group("Output");
  if (!with_progress) return;
  app.add_option("--progress", progress,
                 "On stderr; auto: a bar on a terminal; json: one line per event")
      ->check(CLI::IsMember({"auto", "bar", "json", "none"}))
      ->option_text("auto|bar|json|none")
      ->capture_default_str()
      ->group("Output");
}

void ShellOptions::Apply(Shell& shell) const {
  shell.quiet = quiet;
  shell.progress = progress == "bar"    ? ProgressMode::kBar
                   : progress == "json" ? ProgressMode::kJson
                   : progress == "none" ? ProgressMode::kNone
                                        : ProgressMode::kAuto;
}

void InputOptions::Add(CLI::App& app) {
  app.add_option("FILE", file,
                 "A glTF, GLB, VRM, PMX or PMD file; - reads one without neighbours from standard "
                 "input");
  app.add_option("--sample", sample,
                 "A built-in character instead of FILE; flexor sample --list names them")
      ->option_text("NAME")
      ->group("Input");
  AddRepeatable(app, "--motion", motions,
                "A VMD motion or VPD pose for a PMX or PMD model: a clip named after the file")
      ->option_text("FILE")
      ->group("Input");
  app.add_option("--unit", unit, "Metres of one unit of PMX, PMD, VMD and VPD files (0.08)")
      ->check(PositiveNumber())
      ->option_text("METRES")
      ->group("Input");
  app.add_flag("--strict", strict, "Warnings of the reader are errors (exit code 4)")
      ->group("Input");
  AddLimits(app);
}

void InputOptions::AddLimits(CLI::App& app) {
  app.add_option("--memory-limit", memory_limit,
                 "Most memory that a file may ask for, as in 500M (4G)")
      ->option_text("BYTES")
      ->group("Input");
  app.add_flag("--allow-outside", allow_outside, "Let the file refer to files outside its folder")
      ->group("Input");
}

Result<io::LoadOptions> InputOptions::Limits() const {
  io::LoadOptions options;
  options.allow_outside = allow_outside;
  options.mmd_metres_per_unit = unit;
  if (!memory_limit.empty()) {
    FLEXOR_ASSIGN(options.limits.memory_bytes, ParseBytes(memory_limit));
    options.limits.file_bytes = std::max(options.limits.memory_bytes, options.limits.file_bytes);
  }
  return options;
}

Result<io::Loaded> InputOptions::Load(Shell& shell, bool with_images) const {
  if (!file.empty() && !sample.empty()) {
    return Usage("give either FILE or --sample, not both (\"" + file + "\" and --sample " + sample +
                 ")");
  }
  // Read before anything else, so that a mistake in it is found with --sample too.
  FLEXOR_ASSIGN(io::LoadOptions options, Limits());
  if (!sample.empty()) {
    FLEXOR_ASSIGN(asset::Character character, asset::MakeSample(sample));
    if (!motions.empty()) return Usage("--motion goes with a PMX or PMD file, not with --sample");
    return io::Loaded{std::move(character), {}};
  }
  if (file.empty()) return Usage("give a FILE or --sample NAME");
  options.load_images = with_images;
  // Nothing is begun yet, and a pipe may keep its reader waiting for ever.
  ReleaseStopSignals();
  Result<io::Loaded> loaded = io::LoadCharacter(file == "-" ? "/dev/stdin" : file, options);
  CatchStopSignals();
  if (!loaded.ok()) return loaded;
  for (const std::string& motion : motions) {
    FLEXOR_TRY(io::AddMotion(motion, options, loaded->character, loaded->diagnostics));
  }
  // Standard input is read up, and nothing of it can be shown again.
  shell.Say(loaded->diagnostics, file == "-" ? std::string() : file);
  const std::size_t bad =
      loaded->diagnostics.Count(Severity::kError) + loaded->diagnostics.Count(Severity::kWarning);
  if (strict && bad > 0) {
    return Error{ErrorCode::kInvalidValue,
                 "the reader had " + std::to_string(bad) +
                     (bad == 1 ? " complaint" : " complaints") + " and --strict was given",
                 {file, {}, {}}};
  }
  return loaded;
}

std::string InputOptions::Name() const { return sample.empty() ? file : "sample " + sample; }

void PoseOptions::Add(CLI::App& app) {
  auto* clip_option =
      app.add_option("--clip", clip, "Clip by name or number (the first one)")->group("Pose");
  clip_option->option_text("NAME|N");
  app.add_flag("--rest", rest, "The rest pose: no clip")->excludes(clip_option)->group("Pose");
  AddRepeatable(app, "--rotate", rotate,
                "Turn a joint about an axis of its own, on top of the clip; may be repeated")
      ->option_text("JOINT=x,y,z,DEGREES")
      ->group("Pose");
  AddRepeatable(app, "--translate", translate, "Move a joint in its parent's space, metres")
      ->option_text("JOINT=x,y,z")
      ->group("Pose");
  AddRepeatable(app, "--scale", scale, "Scale a joint")->option_text("JOINT=x,y,z")->group("Pose");
  AddRepeatable(app, "--morph", morph, "Set a morph target's weight")
      ->option_text("NAME=W")
      ->group("Pose");
  AddMmd(app);
}

void PoseOptions::AddMmd(CLI::App& app) {
  app.add_option("--physics", physics, "Rigid bodies of PMX and PMD models in clips")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->option_text("auto|on|off")
      ->capture_default_str()
      ->group("Pose");
  app.add_option("--ik", ik, "IK of PMX and PMD models")
      ->check(CLI::IsMember({"on", "off"}))
      ->option_text("on|off")
      ->capture_default_str()
      ->group("Pose");
  app.add_option("--mmd-dialect", dialect,
                 "Whose reading of append and IK PMX and PMD models follow")
      ->check(CLI::IsMember({"umt", "babylon", "saba"}))
      ->option_text("umt|babylon|saba")
      ->capture_default_str()
      ->group("Pose");
}

Result<std::optional<std::uint32_t>> PoseOptions::Clip(const asset::Character& character) const {
  if (rest) return std::optional<std::uint32_t>();
  if (!clip.empty()) {
    if (character.clips.empty()) return Usage("--clip " + clip + ": the character has no clips");
    FLEXOR_ASSIGN(const std::uint32_t index, asset::FindClip(character, clip));
    return std::optional(index);
  }
  if (character.clips.empty()) return std::optional<std::uint32_t>();
  return std::optional<std::uint32_t>(0);
}

Result<pose::PoserSettings> PoseOptions::Poser() const {
  pose::PoserSettings settings;
  using Kind = pose::Override::Kind;
  FLEXOR_TRY(ParseAll(Kind::kRotate, rotate, settings.overrides));
  FLEXOR_TRY(ParseAll(Kind::kTranslate, translate, settings.overrides));
  FLEXOR_TRY(ParseAll(Kind::kScale, scale, settings.overrides));
  FLEXOR_TRY(ParseAll(Kind::kMorph, morph, settings.overrides));
  settings.mmd.ik = ik == "on";
  FLEXOR_ASSIGN(settings.mmd.dialect, pose::ParseMmdDialect(dialect));
  settings.simulation.use = physics == "on"    ? pose::SimulationUse::kOn
                            : physics == "off" ? pose::SimulationUse::kOff
                                               : pose::SimulationUse::kAuto;
  return settings;
}

std::string MethodHelp() {
  std::string text;
  for (const deform::MethodEntry& entry : deform::ListMethods()) {
    text +=
        (text.empty() ? "" : "; ") + std::string(entry.name) + ": " + std::string(entry.summary);
  }
  return text + ". Variants after a colon: " + deform::MethodSyntax();
}

void MethodOptions::Add(CLI::App& app, bool with_method) {
  if (with_method) {
    app.add_option("--method", method, MethodHelp())
        ->check(CLI::Validator(
            [](const std::string& text) {
              const auto named = deform::ParseMethod(text);
              return named.ok() ? std::string() : named.error().message;
            },
            ""))
        ->option_text("METHOD")
        ->capture_default_str()
        ->group("Method");
    AddRepeatable(app, "--material-method", material_methods,
                  "Another of these methods for one material, by name or number; may be repeated")
        ->option_text("MATERIAL=METHOD")
        ->group("Method");
  }
  app.add_option("--dqs-residual", dqs_residual,
                 "About what dual quaternions apply scale and shear")
      ->check(CLI::IsMember({"vertex", "origin", "usd"}))
      ->option_text("vertex|origin|usd")
      ->capture_default_str()
      ->group("Method");
  app.add_option("--sdef", sdef,
                 "Vertices that the file bends spherically: do so, blend them as others, or bend "
                 "others of two joints too")
      ->check(CLI::IsMember({"on", "off", "author"}))
      ->option_text("on|off|author")
      ->capture_default_str()
      ->group("Method");
  app.add_option("--sdef-rotation", sdef_rotation, "How they blend rotations")
      ->check(CLI::IsMember({"slerp", "nlerp"}))
      ->option_text("slerp|nlerp")
      ->capture_default_str()
      ->group("Method");
  app.add_option("--weights", weights, "Repaired so that they sum to 1, or as stored")
      ->check(CLI::IsMember({"normalize", "raw"}))
      ->option_text("normalize|raw")
      ->capture_default_str()
      ->group("Method");
  app.add_option("--zero-weights", zero_weights,
                 "A vertex without weight stays, goes to the origin, or follows its first joint")
      ->check(CLI::IsMember({"pass", "collapse", "first"}))
      ->option_text("pass|collapse|first")
      ->capture_default_str()
      ->group("Method");
  app.add_option("--max-influences", max_influences,
                 "Keep only the strongest N influences of a vertex (0: all)")
      ->check(WholeNumber(0, std::numeric_limits<std::uint32_t>::max()))
      ->option_text("N")
      ->group("Method");
}

Result<deform::DeformSettings> MethodOptions::Settings() const {
  deform::DeformSettings settings;
  FLEXOR_ASSIGN(settings.dqs.residual, deform::ParseDqsResidual(dqs_residual));
  FLEXOR_ASSIGN(settings.sdef.mode, deform::ParseSdefMode(sdef));
  FLEXOR_ASSIGN(settings.sdef.rotation, deform::ParseSdefRotation(sdef_rotation));
  FLEXOR_TRY(TakeMethods(settings));
  if (weights == "raw") settings.weights = asset::WeightPolicy::Raw();
  settings.weights.max_influences = max_influences;
  settings.weights.zero = zero_weights == "collapse" ? asset::ZeroWeightPolicy::kCollapse
                          : zero_weights == "first"  ? asset::ZeroWeightPolicy::kFirstJoint
                                                     : asset::ZeroWeightPolicy::kPassThrough;
  return settings;
}

Result<MethodOptions::MaterialText> MethodOptions::Split(std::string_view text) {
  // Names may hold an equals sign; methods never do.
  const std::size_t equals = text.rfind('=');
  if (equals == text.npos || equals == 0) {
    return Usage("--material-method must be MATERIAL=METHOD, not \"" + std::string(text) + "\"");
  }
  MaterialText out{text.substr(0, equals), {}};
  FLEXOR_ASSIGN(out.method, deform::ParseMethod(text.substr(equals + 1)));
  return out;
}

/// One plan knows one variant of a method.
Status MethodOptions::TakeMethods(deform::DeformSettings& settings) const {
  std::vector<deform::NamedMethod> all(1);
  FLEXOR_ASSIGN(all[0], deform::ParseMethod(method));
  for (const std::string& text : material_methods) {
    FLEXOR_ASSIGN(const MaterialText one, Split(text));
    all.push_back(one.method);
  }
  settings.method = all[0].method;
  for (const deform::NamedMethod& one : all) {
    for (const deform::NamedMethod& other : all) {
      if (one.setting != other.setting || one.variant == other.variant) continue;
      return Usage("the methods ask for two values of the " + std::string(one.setting) + ", " +
                   std::string(one.variant) + " and " + std::string(other.variant) +
                   "; a character has one for all");
    }
    deform::ApplyVariant(one, settings);
  }
  return {};
}

Result<std::vector<deform::MaterialMethod>> MethodOptions::MaterialMethods(
    const asset::Character& character) const {
  std::vector<deform::MaterialMethod> chosen;
  for (const std::string& text : material_methods) {
    FLEXOR_ASSIGN(const MaterialText one, Split(text));
    FLEXOR_ASSIGN(const std::uint32_t material, asset::FindMaterial(character, one.material));
    chosen.push_back({static_cast<std::int32_t>(material), one.method.method});
  }
  return chosen;
}

void BackendFlags::Add(CLI::App& app) {
  app.add_option("--backend", backend, "Scalar code in double precision, or SIMD and threads")
      ->check(CLI::IsMember({"reference", "cpu"}))
      ->option_text("reference|cpu")
      ->capture_default_str()
      ->group("Backend");
  app.add_option("--threads", threads, "Threads to use (0: what the machine allows)")
      ->check(WholeNumber(0, 4096))
      ->option_text("N")
      ->group("Backend");
  app.add_option("--simd", simd, "SIMD target by name; flexor info --backends lists them (best)")
      ->option_text("TARGET")
      ->group("Backend");
}

Status BackendFlags::Apply(bake::PerformerSettings& settings) const {
  FLEXOR_ASSIGN(settings.backend, deform::ParseBackend(backend));
  settings.backend_options.threads = threads;
  settings.backend_options.simd_target = simd;
  return {};
}

void FrameOptions::Add(CLI::App& app) {
  auto* range = app.add_option("--frames", frames,
                               "Frames of the clip, from 0, both ends; fractions are allowed")
                    ->option_text("A:B[:STEP]")
                    ->group("Frames");
  auto* one = app.add_option("--frame", frame, "One frame")
                  ->check(FiniteNumber())
                  ->option_text("N")
                  ->group("Frames");
  auto* at = app.add_option("--time", time, "One time")
                 ->check(FiniteNumber())
                 ->option_text("SECONDS")
                 ->group("Frames");
  range->excludes(one)->excludes(at);
  one->excludes(at);
  auto* gap = app.add_option("--step", step, "Frames between samples (1)")
                  ->check(NonZeroNumber())
                  ->option_text("N")
                  ->group("Frames");
  auto* parts = app.add_option("--sub-frames", sub_frames, "Samples per step (1)")
                    ->check(WholeNumber(1, 1000))
                    ->option_text("N")
                    ->group("Frames");
  // A single time has no steps.
  for (CLI::Option* option : {gap, parts}) option->excludes(one)->excludes(at);
  app.add_option("--fps", fps, "What frame numbers count in (the clip's own rate)")
      ->check(PositiveNumber(kLeastRate, kMostRate))
      ->option_text("RATE")
      ->group("Frames");
}

double FrameOptions::Rate(const asset::Clip* clip) const {
  if (fps) return *fps;
  return clip != nullptr ? clip->frames_per_second : 30;
}

Result<std::vector<bake::TimeSample>> FrameOptions::Times(const asset::Clip* clip) const {
  const double rate = Rate(clip);
  if (time) {
    // Through the same limits as every other frame.
    const double at = asset::SecondsToFrame(*time, rate);
    FLEXOR_ASSIGN(std::vector<bake::TimeSample> one,
                  bake::ListTimes(clip, bake::FrameRange{at, at, 1}, rate));
    one[0].seconds = *time;
    return one;
  }
  std::optional<bake::FrameRange> range;
  if (frame) range = {{*frame, *frame, 1}};
  if (!frames.empty()) {
    FLEXOR_ASSIGN(range, bake::ParseFrameRange(frames));
    if (step && std::count(frames.begin(), frames.end(), ':') == 2) {
      return Usage("the step is given twice: in --frames " + frames + " and by --step");
    }
  }
  if (step || sub_frames) {
    if (!range) {
      range = {{0, clip == nullptr ? 0 : asset::LastFrame(*clip, rate), 1}};
    }
    if (step) range->step = *step;
    range->step /= sub_frames.value_or(1);
  }
  return bake::ListTimes(clip, range, rate);
}

Result<bake::PerformerSettings> MakePerformerSettings(const PoseOptions& pose,
                                                      const MethodOptions& method,
                                                      const BackendFlags& backend) {
  bake::PerformerSettings settings;
  FLEXOR_ASSIGN(settings.deform, method.Settings());
  FLEXOR_TRY(backend.Apply(settings));
  FLEXOR_ASSIGN(settings.pose, pose.Poser());
  return settings;
}

const asset::Clip* ClipAt(const asset::Character& character, std::optional<std::uint32_t> index) {
  return index ? &character.clips[*index] : nullptr;
}

Result<std::pair<int, int>> ParseSize(const std::string& text) {
  const auto whole = [](std::string_view part) {
    int value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && end == part.data() + part.size() ? value : 0;
  };
  const std::size_t x = text.find('x');
  const int width = whole(std::string_view(text).substr(0, x));
  const int height = x == text.npos ? width : whole(std::string_view(text).substr(x + 1));
  if (width <= 0 || height <= 0) {
    return Usage("a size must be WIDTHxHEIGHT in pixels, as in 640x480, not \"" + text + "\"");
  }
  return std::pair(width, height);
}

Result<std::uint64_t> ParseBytes(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  std::string unit(rest, end);
  if (unit.ends_with("iB")) {
    unit.resize(unit.size() - 2);
  } else if (unit.ends_with('B')) {
    unit.pop_back();
  }
  const std::string_view units = "KMGT";
  const std::size_t power = unit.empty() ? 0 : units.find(unit) + 1;
  if (error != std::errc() || !(value > 0) || unit.size() > 1 || power > units.size() ||
      (!unit.empty() && power == 0)) {
    return Usage("an amount of memory must be a number with K, M, G or T, as in 500M, not \"" +
                 text + "\"");
  }
  const double bytes = value * std::pow(1024.0, static_cast<double>(power));
  if (!(bytes >= 1) || bytes >= 9e18)
    return Usage("an amount of memory of \"" + text + "\" is out of range");
  return static_cast<std::uint64_t>(bytes);
}

std::vector<std::string> SplitList(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    if (comma > begin) parts.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parts;
}

}  // namespace flexor::cli
