#include "io/gltf/check.h"

#include <new>
#include <stdexcept>
#include <utility>

#include "io/gltf/check_data.h"
#include "io/gltf/check_findings.h"
#include "io/gltf/check_links.h"
#include "io/gltf/check_model.h"
#include "io/gltf/check_schema.h"
#include "io/gltf/container.h"
#include "io/gltf/document.h"
#include "io/gltf/load.h"
#include "io/guard.h"
#include "io/json/parse.h"

namespace flexor::io::gltf {
namespace {

/// The code under which an error of the parser is reported.
const char* CodeOf(const Error& error) {
  return error.code == ErrorCode::kParse ? "INVALID_JSON" : "LIMIT_EXCEEDED";
}

/// Name and version of the format, with the kind of character when it is a VRM.
std::string FormatName(const json::Value& root, bool is_glb) {
  std::string name = is_glb ? "GLB 2.0" : "glTF 2.0";
  const auto extensions = root.find("extensions");
  if (extensions == root.end() || !extensions->is_object()) return name;
  if (extensions->contains("VRMC_vrm")) return name + ", VRM 1.0";
  if (extensions->contains("VRM")) return name + ", VRM 0.x";
  return name;
}

/// What one check works with.
struct Subject {
  const Container& container;
  bool is_whole;                 ///< else the file broke off after its document
  std::uint64_t document_bytes;  ///< what the parsed text holds
  const ResourceFn& resources;
  const LoadOptions& options;
  MemoryBudget& budget;
  CheckReport& report;
};

/// The bytes behind a document whose references were followed.
void CheckBytes(const Subject& subject, const SchemaCheck& schema, RawDocument& document,
                CheckModel& model, Findings& findings) {
  Sources sources{.bin = {}, .resources = &subject.resources, .options = &subject.options};
  if (subject.container.bin) sources.bin = subject.container.bin->bytes;
  CheckedData data(model, document, sources, subject.budget, findings);
  data.LoadBuffers(subject.container.is_glb);
  if (subject.options.load_images) data.CheckImages(model, schema.Uses("EXT_texture_webp"));
  CheckAccessorData(model, data, findings);
  CheckInfluences(model, data, findings);
  CheckTextureTypes(model, findings);
}

/// The document, and its data when the container is whole.
void CheckDocument(const Subject& subject, const json::Document& json) {
  CheckReport& report = subject.report;
  Findings findings(report.diagnostics);
  if (json.byte_order_mark) {
    findings.Add("INVALID_JSON", "", "the text begins with a byte order mark");
  }
  for (const std::string& pointer : json.duplicate_keys) {
    findings.Add("DUPLICATE_KEY", pointer, "this key was there before; the last value counts");
  }
  if (json.root.is_object()) report.format = FormatName(json.root, subject.container.is_glb);
  SchemaCheck schema(findings, subject.container.is_glb);
  if (!schema.Document(json.root)) return;
  // The model holds up to twice what the document does, pointers in words above all.
  const Status room = subject.budget.Charge(subject.document_bytes, 2, "the checked document");
  if (!room.ok()) return findings.Add("LIMIT_EXCEEDED", "", room.error().message);
  auto document = ReadJudgedDocument(json.root, schema.invalid(), subject.budget);
  if (!document.ok()) return findings.Add("LIMIT_EXCEEDED", "", document.error().message);
  CheckModel model = BuildCheckModel(json.root, *document, schema);
  CheckLinks(model, findings);
  if (subject.is_whole) CheckBytes(subject, schema, *document, model, findings);
}

/// The same; memory that runs out ends the check and no more.
void CheckDocumentGuarded(const Subject& subject, const json::Document& json) {
  const auto out_of_memory = [&] {
    Report(subject.report.diagnostics, "LIMIT_EXCEEDED", "", "memory ran out during the check");
  };
  try {
    CheckDocument(subject, json);
  } catch (const std::bad_alloc&) {
    out_of_memory();
  } catch (const std::length_error&) {
    out_of_memory();
  }
}

Result<Loaded> Run(std::span<const std::byte> bytes, const std::string& path,
                   const ResourceFn& resources, const LoadOptions& options, CheckReport& report) {
  report.format = HasGlbMagic(bytes) ? "GLB" : "glTF 2.0";
  MemoryBudget budget(options.limits.memory_bytes);
  if (Status charged = budget.Charge(bytes.size(), 1, "the file"); !charged.ok()) {
    Report(report.diagnostics, "LIMIT_EXCEEDED", "", charged.error().message);
    return std::move(charged).error();
  }
  Container so_far;
  auto container = SplitContainer(bytes, path, report.diagnostics, &so_far);
  // A file that broke off after its document: that can be judged, the data cannot.
  if (!container.ok() && so_far.json.bytes.empty()) return std::move(container).error();
  const Container& usable = container.ok() ? *container : so_far;
  auto json = ParseText(usable, path, options, budget);
  if (!json.ok()) {
    Report(report.diagnostics, CodeOf(json.error()), "", json.error().message);
    return container.ok() ? std::move(json).error() : std::move(container).error();
  }
  const std::uint64_t held = budget.used();
  CheckDocumentGuarded(
      {usable, container.ok(), held - bytes.size(), resources, options, budget, report}, *json);
  budget.Release(budget.used() - held);
  if (!container.ok()) return std::move(container).error();
  return LoadParsed(usable, *json, path, resources, options, budget, {});
}

}  // namespace

Result<Loaded> CheckAndLoad(std::span<const std::byte> bytes, const std::string& path,
                            const ResourceFn& resources, const LoadOptions& options,
                            CheckReport& report) {
  return Guarded(path, [&] { return Run(bytes, path, resources, options, report); });
}

}  // namespace flexor::io::gltf
