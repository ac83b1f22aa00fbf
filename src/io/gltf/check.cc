#include "io/gltf/check.h"

#include <new>
#include <stdexcept>

#include "io/gltf/check_data.h"
#include "io/gltf/check_findings.h"
#include "io/gltf/check_links.h"
#include "io/gltf/check_model.h"
#include "io/gltf/check_schema.h"
#include "io/gltf/container.h"
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
  const std::string& path;
  const ResourceFn& resources;
  const LoadOptions& options;
  MemoryBudget& budget;
  CheckReport& report;
};

/// The bytes behind a document whose references were followed.
void CheckBytes(const Container& container, const SchemaCheck& schema, CheckModel& model,
                const Subject& subject, Findings& findings) {
  Sources sources{.bin = {}, .resources = &subject.resources, .options = &subject.options};
  if (container.bin) sources.bin = container.bin->bytes;
  CheckedData data(model, sources, subject.budget, findings);
  data.LoadBuffers(container.is_glb);
  if (subject.options.load_images) data.CheckImages(model, schema.Uses("EXT_texture_webp"));
  CheckAccessorData(model, data, findings);
  CheckInfluences(model, data, findings);
  CheckTextureTypes(model, findings);
}

/// The document, and its data when the container is whole.
void CheckDocument(const Container& container, bool is_whole, const Subject& subject) {
  CheckReport& report = subject.report;
  Findings findings(report.diagnostics);
  auto document = json::Parse(container.json_text(),
                              {.max_depth = subject.options.limits.json_depth,
                               .path = subject.path,
                               .base_offset = container.json.offset},
                              subject.budget);
  if (!document.ok()) {
    findings.Add(CodeOf(document.error()), "", document.error().message);
    return;
  }
  if (document->byte_order_mark) {
    findings.Add("INVALID_JSON", "", "the text begins with a byte order mark");
  }
  for (const std::string& pointer : document->duplicate_keys) {
    findings.Add("DUPLICATE_KEY", pointer, "this key was there before; the last value counts");
  }
  if (document->root.is_object()) report.format = FormatName(document->root, container.is_glb);
  SchemaCheck schema(findings, container.is_glb);
  if (!schema.Document(document->root)) return;
  // The model holds a few times what the document does, pointers in words above all.
  if (const Status charged =
          subject.budget.Charge(subject.budget.used(), 3, "the checked document");
      !charged.ok()) {
    findings.Add("LIMIT_EXCEEDED", "", charged.error().message);
    return;
  }
  CheckModel model = BuildCheckModel(document->root, schema);
  CheckLinks(model, findings);
  if (is_whole) CheckBytes(container, schema, model, subject, findings);
}

}  // namespace

void CheckGltf(std::span<const std::byte> bytes, const std::string& path,
               const ResourceFn& resources, const LoadOptions& options, CheckReport& report) {
  try {
    report.format = HasGlbMagic(bytes) ? "GLB" : "glTF 2.0";
    MemoryBudget budget(options.limits.memory_bytes);
    const Subject subject{path, resources, options, budget, report};
    Container so_far;
    const auto container = SplitContainer(bytes, path, report.diagnostics, &so_far);
    if (container.ok()) {
      CheckDocument(*container, true, subject);
    } else if (!so_far.json.bytes.empty()) {
      // The file broke off after its document: that can be judged, the data cannot.
      CheckDocument(so_far, false, subject);
    }
  } catch (const std::bad_alloc&) {
    Findings(report.diagnostics).Add("LIMIT_EXCEEDED", "", "memory ran out during the check");
  } catch (const std::length_error&) {
    Findings(report.diagnostics).Add("LIMIT_EXCEEDED", "", "memory ran out during the check");
  }
}

}  // namespace flexor::io::gltf
