#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include <nlohmann/json.hpp>

#include "flexor/core/file.h"
#include "flexor/io/mmd/pmd.h"
#include "flexor/io/mmd/pmx.h"

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/write_character.h"

namespace flexor::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  InputOptions input;
  PoseOptions pose;
  ShellOptions shell;
  std::string output;
  std::string pmx_version, pmx_encoding;
  bool json = false;
};

// What a GLB written from our model says of its source: its hierarchy, meshes, skins, clips,
// materials with a base colour, images. Whatever else the file had is named here.
std::vector<std::string> Dropped(const asset::Character& character) {
  std::vector<std::string> dropped;
  for (const std::string& extension : character.source.extensions) {
    // These say how data was stored; the data itself is kept.
    const bool storage =
        extension == "KHR_mesh_quantization" || extension == "EXT_meshopt_compression" ||
        extension == "KHR_draco_mesh_compression" || extension == "KHR_texture_transform";
    if (!storage) dropped.push_back("extension " + extension);
  }
  return dropped;
}

bool IsMmdFile(const asset::Character& character) {
  return character.source.format.starts_with("PMX") || character.source.format.starts_with("PMD");
}

// A character that came as PMX or PMD is written from the file's own fields, so that what our model
// has no place for stays.
Result<io::mmd::PmxModel> ReadModel(const Options& options) {
  FLEXOR_ASSIGN(const io::LoadOptions limits, options.input.Limits());
  FLEXOR_ASSIGN(const std::vector<std::byte> bytes,
                ReadFile(options.input.file, limits.limits.file_bytes));
  MemoryBudget budget(limits.limits.memory_bytes);
  Diagnostics said;  // by the load before
  const bool pmd = bytes.size() > 3 && std::memcmp(bytes.data(), "Pmd", 3) == 0;
  return pmd ? io::mmd::ParsePmd(bytes, budget, said) : io::mmd::ParsePmx(bytes, budget, said);
}

bool InOneFolder(const std::string& a, const std::string& b) {
  std::error_code error;
  const auto folder = [&error](const std::string& file) {
    const std::filesystem::path path = std::filesystem::absolute(file, error).parent_path();
    return std::filesystem::weakly_canonical(path, error);
  };
  return folder(a) == folder(b);
}

// What lies beside a model that is written as its own file was.
void NoteWhatStays(const Options& options, const io::mmd::PmxModel& model, Diagnostics& notes) {
  const auto note = [&](std::string message, std::uint64_t count) {
    notes.Add({.code = "PMX_FILES_STAY",
               .severity = Severity::kWarning,
               .where = {},
               .message = std::move(message),
               .remedy = {},
               .count = count});
  };
  if (!model.textures.empty() && !InOneFolder(options.input.file, options.output)) {
    note("the model's textures keep their names, which count from its folder; copy them there",
         model.textures.size());
  }
  if (!options.input.motions.empty()) {
    note("motions are files of their own and stay as they are", options.input.motions.size());
  }
}

Status WritePmx(const Options& options, const asset::Character& character,
                const bake::MotionSettings& motion, Shell& shell, Written& written) {
  io::mmd::PmxWriteOptions how;
  if (options.pmx_version == "2.0") how.version = io::mmd::PmxVersion::k20;
  if (options.pmx_version == "2.1") how.version = io::mmd::PmxVersion::k21;
  if (options.pmx_encoding == "utf16") how.encoding = io::mmd::PmxEncoding::kUtf16;
  if (options.pmx_encoding == "utf8") how.encoding = io::mmd::PmxEncoding::kUtf8;
  if (IsMmdFile(character) && options.input.file != "-") {
    FLEXOR_ASSIGN(const io::mmd::PmxModel model, ReadModel(options));
    FLEXOR_TRY(WritePmxModel(shell, options.output, model, how, written));
    NoteWhatStays(options, model, written.notes);
    return {};
  }
  return WritePmxFile(shell, options.output, character, options.input.unit, how, motion, written);
}

Json FindingsJson(const Diagnostics& diagnostics) {
  Json findings = Json::array();
  for (const Diagnostic& finding : diagnostics.entries()) {
    findings.push_back({{"code", finding.code},
                        {"severity", SeverityName(finding.severity)},
                        {"where", finding.where},
                        {"message", finding.message},
                        {"count", finding.count}});
  }
  return findings;
}

Result<int> Run(const Options& options, Shell& shell) {
  options.shell.Apply(shell);
  if (options.output.empty()) {
    return Error{ErrorCode::kInvalidArgument, "say where to with -o OUT.glb or OUT.pmx", {}};
  }
  const std::string extension = ExtensionOf(options.output);
  if (options.output != "-" && extension != "glb" && extension != "pmx") {
    return Error{ErrorCode::kInvalidArgument,
                 "convert writes .glb and .pmx, and \"" + options.output + "\" is neither",
                 {}};
  }
  FLEXOR_TRY(CheckOutput(options.output, {options.input.file}, {}, options.json));
  FLEXOR_ASSIGN(const io::Loaded loaded, options.input.Load(shell, true));
  Written written;
  bake::MotionSettings motion;
  FLEXOR_ASSIGN(motion.pose, options.pose.Poser());
  FLEXOR_ASSIGN(const io::LoadOptions limits, options.input.Limits());
  motion.memory_bytes = limits.limits.memory_bytes;
  if (extension == "pmx") {
    FLEXOR_TRY(WritePmx(options, loaded.character, motion, shell, written));
  } else {
    FLEXOR_TRY(WriteGlbFile(shell, options.output, loaded.character, motion, written));
  }
  const std::vector<std::string> dropped = Dropped(loaded.character);
  if (options.json) {
    Json json;
    json["file"] = options.output;
    json["files"] = written.files;
    json["bytes"] = written.bytes;
    json["dropped"] = dropped;
    json["notes"] = FindingsJson(written.notes);
    json["diagnostics"] = FindingsJson(loaded.diagnostics);
    shell.Out(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    return kDone;
  }
  for (const std::string& what : dropped) shell.Warn("not in the output: " + Printable(what));
  shell.Say(written.notes);
  SayWritten(shell, written);
  return kDone;
}

}  // namespace

Command AddConvert(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app =
      root.add_subcommand("convert", "Write a character as GLB or PMX, and say what was dropped");
  options->input.Add(*app);
  options->pose.AddMmd(*app);
  app->add_option("-o,--output", options->output,
                  "The GLB or PMX to write, textures and motions of a PMX beside it; - writes a "
                  "GLB to standard "
                  "output")
      ->option_text("OUT.glb|OUT.pmx")
      ->group("Output");
  app->add_option("--pmx-version", options->pmx_version, "The version of a PMX (as it needs)")
      ->check(CLI::IsMember({"2.0", "2.1"}))
      ->option_text("2.0|2.1")
      ->group("Output");
  app->add_option("--pmx-encoding", options->pmx_encoding, "The texts of a PMX (as the file's)")
      ->check(CLI::IsMember({"utf16", "utf8"}))
      ->option_text("utf16|utf8")
      ->group("Output");
  app->add_flag("--json", options->json, "Say what was written and dropped as JSON")
      ->group("Output");
  options->shell.Add(*app, false);
  app->footer(R"(Examples:
  flexor convert character.gltf -o character.glb
  flexor convert avatar.vrm -o plain.glb --json
  flexor convert model.pmx --motion dance.vmd -o dance.glb
  flexor convert character.glb -o model.pmx)");
  return {app, [options](Shell& shell) { return Run(*options, shell); }};
}

}  // namespace flexor::cli
