/// @file cli/options.h
/// Flags that several commands share: one spelling, one meaning, one help text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "flexor/bake/frames.h"
#include "flexor/bake/performer.h"
#include "flexor/deform/method_name.h"
#include "flexor/io/load.h"

#include "cli/shell.h"

namespace flexor::cli {

/// What a flag takes: a number without words around it, finite, within the bounds. The message says
/// both, and holds for whole numbers and fractions alike.
CLI::Validator FiniteNumber();
CLI::Validator PositiveNumber(double least = 0, double most = 0);
CLI::Validator NonNegativeNumber();
CLI::Validator NonZeroNumber();
CLI::Validator WholeNumber(std::int64_t least, std::int64_t most);

/// --quiet, --progress.
struct ShellOptions {
  bool quiet = false;
  std::string progress = "auto";

  void Add(CLI::App& app, bool with_progress);
  void Apply(Shell& shell) const;
};

/// FILE or --sample NAME, --motion, --unit, --strict, --memory-limit, --allow-outside.
struct InputOptions {
  std::string file;
  std::string sample;
  std::vector<std::string> motions;
  double unit = 0.08;
  std::string memory_limit;
  bool allow_outside = false;
  bool strict = false;

  void Add(CLI::App& app);
  /// Only the flags about limits, for commands with their own list of files.
  void AddLimits(CLI::App& app);
  Result<io::LoadOptions> Limits() const;
  /// Loads the character and its motions, and says on stderr what the readers found.
  /// Errors  kInvalidArgument unless there is exactly one of FILE and --sample · kInvalidValue with
  /// --strict when the reader had a warning · those of the reader
  Result<io::Loaded> Load(Shell& shell, bool with_images) const;
  /// The file, or "sample NAME", for messages.
  std::string Name() const;
};

/// --clip, --rest, --rotate, --translate, --scale, --morph, --ik, --mmd-dialect, --physics.
struct PoseOptions {
  std::string clip;
  bool rest = false;
  std::string ik = "on", dialect = "babylon", physics = "auto";
  std::vector<std::string> rotate, translate, scale, morph;

  void Add(CLI::App& app);
  /// Only the flags about PMX and PMD models, for commands that pose nothing else.
  void AddMmd(CLI::App& app);
  /// The clip asked for, else the first one, else none.
  Result<std::optional<std::uint32_t>> Clip(const asset::Character& character) const;
  Result<pose::PoserSettings> Poser() const;
};

/// --dqs-residual, --sdef, --sdef-rotation, --weights, --zero-weights, --max-influences, and
/// --method and --material-method unless the command takes several methods.
struct MethodOptions {
  std::string method = "file";
  std::vector<std::string> material_methods;
  std::string dqs_residual = "vertex";
  std::string sdef = "on";
  std::string sdef_rotation = "slerp";
  std::string weights = "normalize";
  std::string zero_weights = "pass";
  std::uint32_t max_influences = 0;

  void Add(CLI::App& app, bool with_method);
  /// All but --material-method, which needs the character.
  Result<deform::DeformSettings> Settings() const;
  Result<std::vector<deform::MaterialMethod>> MaterialMethods(
      const asset::Character& character) const;

 private:
  struct MaterialText {
    std::string_view material;
    deform::NamedMethod method;
  };
  static Result<MaterialText> Split(std::string_view text);
  Status TakeMethods(deform::DeformSettings& settings) const;
};

/// Every method and what it does, for the help of an option that takes one.
std::string MethodHelp();

/// --backend, --threads, --simd.
struct BackendFlags {
  std::string backend = "cpu";  ///< set before Add() where a command has another default
  int threads = 0;
  std::string simd;

  void Add(CLI::App& app);
  Status Apply(bake::PerformerSettings& settings) const;
};

/// --frames, --frame, --time, --step, --sub-frames, --fps.
struct FrameOptions {
  std::string frames;
  std::optional<double> frame, time, step, fps;
  std::optional<std::uint32_t> sub_frames;

  void Add(CLI::App& app);
  bool Chosen() const { return !frames.empty() || frame || time; }
  /// Whether anything was said about which frames.
  bool Said() const { return Chosen() || step || sub_frames; }
  /// Frames per second in which frame numbers count: --fps, the clip's own, or 30.
  double Rate(const asset::Clip* clip) const;
  /// What was asked for; nothing chosen: every frame of the clip in the given step.
  Result<std::vector<bake::TimeSample>> Times(const asset::Clip* clip) const;
};

/// Everything that a Performer needs from the command line.
Result<bake::PerformerSettings> MakePerformerSettings(const PoseOptions& pose,
                                                      const MethodOptions& method,
                                                      const BackendFlags& backend);

/// The clip of an index, or nullptr.
const asset::Clip* ClipAt(const asset::Character& character, std::optional<std::uint32_t> index);

/// "640x480" or "640" (square). Errors  kInvalidArgument
Result<std::pair<int, int>> ParseSize(const std::string& text);

/// "500M", "2GiB", "1000000". Errors  kInvalidArgument
Result<std::uint64_t> ParseBytes(const std::string& text);

/// "a,b,c" at its commas, empty parts left out.
std::vector<std::string> SplitList(const std::string& text);

}  // namespace flexor::cli
