#include "flexor/asset/sample.h"

#include <memory>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/write_character.h"

namespace flexor::cli {
namespace {

struct Options {
  std::string name, output;
  bool list = false, json = false;
  ShellOptions shell;
};

// One unit of MikuMikuDance.
constexpr double kMetresPerUnit = 0.08;

void List(const Options& options, Shell& shell) {
  if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const asset::SampleInfo& sample : asset::Samples()) {
      list.push_back({{"name", sample.name}, {"summary", sample.summary}});
    }
    shell.Out(list.dump(2) + "\n");
    return;
  }
  Table table({"name", "what it shows"});
  for (const asset::SampleInfo& sample : asset::Samples()) {
    table.Add({std::string(sample.name), std::string(sample.summary)});
  }
  shell.Out(table.Text());
}

Result<int> Run(const Options& options, Shell& shell) {
  options.shell.Apply(shell);
  if (options.list) {
    List(options, shell);
    return kDone;
  }
  const auto usage = [](std::string message) {
    return Error{ErrorCode::kInvalidArgument, std::move(message), {}};
  };
  if (options.name.empty()) return usage("name a sample, or give --list");
  if (options.output.empty()) return usage("say where to with -o FILE.glb or FILE.pmx");
  const bool pmx = ExtensionOf(options.output) == "pmx";
  if (options.output != "-" && !pmx && ExtensionOf(options.output) != "glb") {
    return usage("samples are written as .glb or .pmx, and \"" + options.output + "\" is neither");
  }
  FLEXOR_TRY(CheckOutput(options.output, {}, {}, options.json));
  FLEXOR_ASSIGN(const asset::Character character, asset::MakeSample(options.name));
  Written written;
  if (pmx) {
    FLEXOR_TRY(WritePmxFile(shell, options.output, character, kMetresPerUnit, {}, {}, written));
  } else {
    FLEXOR_TRY(WriteGlbFile(shell, options.output, character, {}, written));
  }
  if (options.json) {
    shell.Out(nlohmann::ordered_json{
                  {"file", options.output}, {"files", written.files}, {"bytes", written.bytes}}
                  .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
              "\n");
  } else {
    shell.Say(written.notes);
    SayWritten(shell, written);
  }
  return kDone;
}

}  // namespace

Command AddSample(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app =
      root.add_subcommand("sample", "Write a built-in character as GLB, or as PMX with a VMD");
  app->add_option("NAME", options->name, "Which one");
  app->add_option("-o,--output", options->output,
                  "The GLB or PMX to write; - writes a GLB to standard output")
      ->option_text("FILE.glb|FILE.pmx")
      ->group("Output");
  app->add_flag("--list", options->list, "Name the samples")->group("Output");
  app->add_flag("--json", options->json, "The list, or what was written, as JSON")->group("Output");
  options->shell.Add(*app, false);
  app->footer(R"(Examples:
  flexor sample --list
  flexor sample figure -o figure.glb
  flexor sample sdef -o elbow.pmx)");
  return {app, [options](Shell& shell) { return Run(*options, shell); }};
}

}  // namespace flexor::cli
