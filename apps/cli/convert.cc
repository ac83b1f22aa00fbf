#include <memory>

#include <nlohmann/json.hpp>

#include "flexor/io/write_glb.h"

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "cli/table.h"

namespace flexor::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  InputOptions input;
  ShellOptions shell;
  std::string output;
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
  if (!character.source.title.empty() || !character.source.author.empty()) {
    dropped.push_back("title, author and licence of the VRM meta");
  }
  return dropped;
}

Result<int> Run(const Options& options, Shell& shell) {
  options.shell.Apply(shell);
  if (options.output.empty()) {
    return Error{ErrorCode::kInvalidArgument, "say where to with -o OUT.glb", {}};
  }
  if (options.output != "-" && ExtensionOf(options.output) != "glb") {
    return Error{ErrorCode::kInvalidArgument,
                 "convert writes .glb, and \"" + options.output + "\" is none",
                 {}};
  }
  FLEXOR_TRY(CheckOutput(options.output, {options.input.file}, {}, options.json));
  FLEXOR_ASSIGN(const io::Loaded loaded, options.input.Load(shell, true));
  FLEXOR_ASSIGN(const std::vector<std::byte> bytes, io::EncodeGlb(loaded.character));
  FLEXOR_TRY(CheckNotStopped());
  FLEXOR_TRY(WriteOutput(shell, options.output, bytes));
  const std::vector<std::string> dropped = Dropped(loaded.character);
  if (options.json) {
    Json json;
    json["file"] = options.output;
    json["bytes"] = bytes.size();
    json["dropped"] = dropped;
    Json findings = Json::array();
    for (const Diagnostic& finding : loaded.diagnostics.entries()) {
      findings.push_back({{"code", finding.code},
                          {"severity", SeverityName(finding.severity)},
                          {"where", finding.where},
                          {"message", finding.message},
                          {"count", finding.count}});
    }
    json["diagnostics"] = std::move(findings);
    shell.Out(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    return kDone;
  }
  for (const std::string& what : dropped) shell.Warn("not in the output: " + Printable(what));
  if (options.output != "-") {
    shell.Out("wrote " + Printable(options.output) + ", " + SizeText(bytes.size()) + "\n");
  }
  return kDone;
}

}  // namespace

Command AddConvert(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app =
      root.add_subcommand("convert", "Write a character as GLB, and say what was dropped");
  options->input.Add(*app);
  app->add_option("-o,--output", options->output, "The GLB to write; - for standard output")
      ->option_text("OUT.glb")
      ->group("Output");
  app->add_flag("--json", options->json, "Say what was written and dropped as JSON")
      ->group("Output");
  options->shell.Add(*app, false);
  app->footer(R"(Examples:
  flexor convert character.gltf -o character.glb
  flexor convert avatar.vrm -o plain.glb --json)");
  return {app, [options](Shell& shell) { return Run(*options, shell); }};
}

}  // namespace flexor::cli
