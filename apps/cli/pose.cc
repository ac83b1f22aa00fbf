#include <memory>

#include <nlohmann/json.hpp>

#include "flexor/pose/poser.h"

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
  PoseOptions pose;
  FrameOptions frames;
  ShellOptions shell;
  std::vector<std::string> nodes;
  std::string output = "-";
  bool stages = false;
};

Json ToJson(Vec3d v) { return Json::array({v.x, v.y, v.z}); }
Json ToJson(Quatd q) { return Json::array({q.x, q.y, q.z, q.w}); }
Json ToJson(const Transform& t) {
  return {{"translation", ToJson(t.translation)}, {"rotation", ToJson(t.rotation)}};
}
// Rotation and position of a rigid bone: what two programs can compare whatever their axes.
Json ToJson(const Mat34d& m) {
  return {{"translation", ToJson(m.translation)}, {"rotation", ToJson(ToQuat(m.linear))}};
}

// Twelve numbers, three rows of four.
Json Rows(const Mat34d& m) {
  const auto row = [&](double x, double y, double z, double t) {
    return Json::array({x, y, z, t});
  };
  return Json::array({row(m.linear.x.x, m.linear.y.x, m.linear.z.x, m.translation.x),
                      row(m.linear.x.y, m.linear.y.y, m.linear.z.y, m.translation.y),
                      row(m.linear.x.z, m.linear.y.z, m.linear.z.z, m.translation.z)});
}

std::string Indented(const std::string& text) {
  std::string out = "  ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

// `stages` are nullptr where nobody wants them.
Json NodeJson(const asset::Character& character, std::uint32_t n,
              const asset::PosedCharacter& posed, const pose::MmdStages* stages) {
  Json node;
  node["node"] = n;
  node["name"] = character.nodes[n].name;
  node["parent"] = character.nodes[n].parent;
  node["model_from_node"] = Rows(posed.model_from_node[n]);
  if (stages == nullptr || !character.mmd) return node;
  const std::size_t first = character.mmd->first_node;
  if (n < first || n - first >= character.mmd->bones.size()) return node;
  const std::size_t b = n - first;
  node["stages"] = {{"local", ToJson(stages->local[b])},
                    {"append", ToJson(stages->append[b])},
                    {"ik", ToJson(stages->ik[b])},
                    {"before_physics", ToJson(stages->before_physics[b])},
                    {"final", ToJson(stages->after_physics[b])}};
  return node;
}

Result<int> Run(const Options& options, Shell& shell) {
  options.shell.Apply(shell);
  FLEXOR_TRY(CheckOutput(options.output, {options.input.file}));
  FLEXOR_ASSIGN(const io::Loaded loaded, options.input.Load(shell, false));
  const asset::Character& character = loaded.character;
  FLEXOR_ASSIGN(const std::optional<std::uint32_t> index, options.pose.Clip(character));
  const asset::Clip* clip = ClipAt(character, index);
  std::vector<std::uint32_t> nodes;
  for (const std::string& name : options.nodes) {
    FLEXOR_ASSIGN(const std::uint32_t node, asset::FindNode(character, name));
    nodes.push_back(node);
  }
  if (nodes.empty()) {
    for (std::uint32_t n = 0; n < character.nodes.size(); ++n) nodes.push_back(n);
  }
  std::vector<bake::TimeSample> times{{0, 0}};
  if (options.frames.Said()) {
    FLEXOR_ASSIGN(times, options.frames.Times(clip));
  }
  FLEXOR_ASSIGN(pose::PoserSettings settings, options.pose.Poser());
  settings.stages = options.stages;
  FLEXOR_ASSIGN(pose::Poser poser, pose::Poser::Create(character, settings));
  FLEXOR_ASSIGN(pose::SimulationState state, poser.MakeState());
  asset::PosedCharacter posed;
  Json json;
  json["character"] = character.name;
  json["clip"] = clip == nullptr ? Json(nullptr) : Json(clip->name);
  if (character.mmd) json["dialect"] = options.pose.dialect;
  json["space"] = "right-handed, +Y up, metres; quaternions x, y, z, w";
  // Frames become text one by one: as a document they would take several times the memory.
  std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace);
  text.replace(text.rfind("\n}"), 2, ",\n \"frames\": [");
  FLEXOR_ASSIGN(const io::LoadOptions limits, options.input.Limits());
  for (const bake::TimeSample& time : times) {
    FLEXOR_TRY(CheckNotStopped());
    FLEXOR_TRY(poser.Evaluate(index, time.seconds, &state, posed));
    Json frame;
    frame["frame"] = time.frame;
    frame["seconds"] = time.seconds;
    frame["nodes"] = Json::array();
    for (const std::uint32_t n : nodes) {
      frame["nodes"].push_back(
          NodeJson(character, n, posed, options.stages ? &poser.stages() : nullptr));
    }
    Json morphs = Json::object();
    for (std::size_t i = 0; i < character.instances.size(); ++i) {
      const asset::Mesh& mesh = character.meshes[character.instances[i].mesh];
      for (std::size_t m = 0; m < mesh.morphs.size(); ++m) {
        const float weight = posed.morph_weights[i][m];
        if (weight != 0) morphs[character.instances[i].name][mesh.morphs[m].name] = weight;
      }
    }
    frame["morphs"] = std::move(morphs);
    if (&time != times.data()) text += ',';
    text += '\n' + Indented(frame.dump(1, ' ', false, Json::error_handler_t::replace));
    if (text.size() > limits.limits.memory_bytes) {
      return Error{ErrorCode::kLimitExceeded,
                   "the JSON of " + Grouped(times.size()) + " frames is larger than the " +
                       SizeText(limits.limits.memory_bytes) +
                       " of --memory-limit; ask for fewer frames, or by --node for fewer nodes",
                   {options.output, {}, {}}};
    }
  }
  text += "\n ]\n}\n";
  FLEXOR_TRY(WriteOutput(shell, options.output, text));
  return kDone;
}

}  // namespace

Command AddPose(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("pose", "Where every joint is, as JSON");
  options->input.Add(*app);
  options->pose.Add(*app);
  options->frames.Add(*app);
  app->add_option("--node", options->nodes, "Only this node, by name or number; may be repeated")
      ->option_text("NAME|N")
      ->group("Output");
  app->add_flag("--stages", options->stages,
                "For bones of PMX and PMD models also what keys, append and IK made of them")
      ->group("Output");
  app->add_option("-o,--output", options->output, "The JSON to write (standard output)")
      ->option_text("OUT.json")
      ->group("Output");
  options->shell.Add(*app, false);
  app->footer(
      R"(Every joint is where bake and render have it; --physics off leaves rigid bodies out.

Examples:
  flexor pose --sample elbow --frame 12
  flexor pose model.pmx --motion walk.vmd --frame 30 --stages --node 左足)");
  return {app, [options](Shell& shell) { return Run(*options, shell); }};
}

}  // namespace flexor::cli
