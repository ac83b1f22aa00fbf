#include "flexor/asset/sample.h"

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

struct Options {
  std::string name, output;
  bool list = false, json = false;
  ShellOptions shell;
};

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
  if (options.output.empty()) return usage("say where to with -o FILE.glb");
  if (options.output != "-" && ExtensionOf(options.output) != "glb") {
    return usage("samples are written as .glb, and \"" + options.output + "\" is none");
  }
  FLEXOR_TRY(CheckOutput(options.output, {}, {}, options.json));
  FLEXOR_ASSIGN(const asset::Character character, asset::MakeSample(options.name));
  FLEXOR_ASSIGN(const std::vector<std::byte> bytes, io::EncodeGlb(character));
  FLEXOR_TRY(CheckNotStopped());
  FLEXOR_TRY(WriteOutput(shell, options.output, bytes));
  if (options.json) {
    shell.Out(nlohmann::ordered_json{{"file", options.output}, {"bytes", bytes.size()}}.dump(
                  2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
              "\n");
  } else if (options.output != "-") {
    shell.Out("wrote " + Printable(options.output) + ", " + SizeText(bytes.size()) + "\n");
  }
  return kDone;
}

}  // namespace

Command AddSample(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("sample", "Write a built-in character as GLB");
  app->add_option("NAME", options->name, "Which one");
  app->add_option("-o,--output", options->output, "The GLB to write; - for standard output")
      ->option_text("FILE.glb")
      ->group("Output");
  app->add_flag("--list", options->list, "Name the samples")->group("Output");
  app->add_flag("--json", options->json, "The list, or what was written, as JSON")->group("Output");
  options->shell.Add(*app, false);
  app->footer(R"(Examples:
  flexor sample --list
  flexor sample figure -o figure.glb)");
  return {app, [options](Shell& shell) { return Run(*options, shell); }};
}

}  // namespace flexor::cli
