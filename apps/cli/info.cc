#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flexor/asset/sample.h"
#include "flexor/bake/compare_pictures.h"
#include "flexor/bake/summary.h"
#include "flexor/io/write_cache.h"

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/info_report.h"
#include "cli/options.h"
#include "cli/table.h"

namespace flexor::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  InputOptions input;
  ShellOptions shell;
  bool json = false, plan = false, formats = false, backends = false;
};

std::string Dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

struct Format {
  std::string name, extension;
  bool reads = false, writes = false;
  std::string note;
};

/// What one file of a point cache holds, in words.
std::string NoteOf(const io::CacheFormatInfo& info) {
  return std::string("bake: ") + (info.holds_frames ? "frames" : "one frame") +
         (info.holds_meshes ? ", meshes, " : " of one mesh, ") +
         (info.holds_normals ? "normals" : "positions");
}

std::vector<Format> Formats() {
  std::vector<Format> formats = {
      {"glTF 2.0", ".gltf", true, false, "external, data-URI or no buffers"},
      {"GLB 2.0", ".glb", true, true, "convert, sample: all of a character; bake: one posed frame"},
      {"VRM 0.x, 1.0", ".vrm", true, false, "meshes, skins, morphs, clips; not its expressions"},
      {"PMX 2.0, 2.1", ".pmx", true, true, "convert"},
      {"PMD", ".pmd", true, false, "models of MikuMikuDance before PMX"},
      {"VMD", ".vmd", true, true, "motions: --motion; convert"},
      {"VPD", ".vpd", true, false, "poses: --motion"},
  };
  for (const io::CacheFormatInfo& info : io::CacheFormats()) {
    formats.push_back(
        {std::string(info.title), "." + std::string(info.extension), false, true, NoteOf(info)});
  }
  formats.push_back({"PNG", ".png", false, true, "render, compare"});
  formats.push_back({"HTML", ".html", false, true, "compare"});
  return formats;
}

void PrintFormats(const Options& options, Shell& shell) {
  if (options.json) {
    Json list = Json::array();
    for (const Format& format : Formats()) {
      list.push_back({{"name", format.name},
                      {"extension", format.extension},
                      {"reads", format.reads},
                      {"writes", format.writes},
                      {"note", format.note}});
    }
    shell.Out(Dump(list));
    return;
  }
  Table table({"format", "extension", "reads", "writes", "what for"});
  for (const Format& format : Formats()) {
    table.Add({format.name, format.extension, format.reads ? "yes" : "-",
               format.writes ? "yes" : "-", format.note});
  }
  shell.Out(table.Text());
}

Status PrintBackends(const Options& options, Shell& shell) {
  FLEXOR_ASSIGN(const std::unique_ptr<deform::Backend> cpu,
                deform::CreateBackend(deform::BackendKind::kCpu));
  const deform::BackendInfo info = cpu->Info();
  const std::vector<std::string> targets = deform::SimdTargets();
  if (options.json) {
    Json json;
    json["backends"] = {
        {{"name", "reference"}, {"simd_target", ""}, {"threads", 1}},
        {{"name", "cpu"}, {"simd_target", info.simd_target}, {"threads", info.threads}}};
    json["simd_targets"] = targets;
    json["pictures"] = bake::CanDraw();
    shell.Out(Dump(json));
    return {};
  }
  std::string names;
  for (const std::string& target : targets) names += (names.empty() ? "" : ", ") + target;
  shell.Out("  reference  scalar, double precision, 1 thread\n");
  shell.Out("  cpu        " + info.simd_target + ", " + std::to_string(info.threads) +
            (info.threads == 1 ? " thread" : " threads") + "\n");
  shell.Out("  --simd     " + names + "\n");
  shell.Out(std::string("  pictures   ") + (bake::CanDraw() ? "yes" : "not in this build") + "\n");
  return {};
}

Result<int> Run(const Options& options, Shell& shell) {
  options.shell.Apply(shell);
  const bool named = !options.input.file.empty() || !options.input.sample.empty();
  if (options.json && int{options.formats} + int{options.backends} + int{named} > 1) {
    return Error{ErrorCode::kInvalidArgument,
                 "--json makes one document: ask for --formats, --backends or a character alone",
                 {}};
  }
  if (options.formats) PrintFormats(options, shell);
  if (options.backends) FLEXOR_TRY(PrintBackends(options, shell));
  if ((options.formats || options.backends) && !named) return kDone;
  // The table repeats the findings in its own words, so the loader keeps quiet.
  Shell silent = shell;
  silent.quiet = true;
  FLEXOR_ASSIGN(const io::Loaded loaded, options.input.Load(silent, true));
  FLEXOR_ASSIGN(const bake::CharacterSummary summary, bake::Summarize(loaded.character));
  shell.Out(options.json ? InfoJson(loaded, summary)
                         : InfoText(shell, options.input.Name(), loaded, summary, options.plan));
  return kDone;
}

}  // namespace

Command AddInfo(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("info", "Say what is in a file");
  options->input.Add(*app);
  app->add_flag("--plan", options->plan, "Also how each mesh is laid out for deforming")
      ->group("Output");
  app->add_flag("--json", options->json, "Everything as JSON")->group("Output");
  app->add_flag("--formats", options->formats, "What can be read and written")->group("Output");
  app->add_flag("--backends", options->backends, "What deforms on this machine")->group("Output");
  options->shell.Add(*app, false);
  app->footer(R"(Examples:
  flexor info character.glb
  flexor info --sample figure --plan
  flexor info character.glb --json | jq .clips
  flexor info --formats --backends)");
  return {app, [options](Shell& shell) { return Run(*options, shell); }};
}

}  // namespace flexor::cli
