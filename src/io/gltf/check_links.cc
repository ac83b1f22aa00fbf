#include "io/gltf/check_links.h"

#include <algorithm>

#include "io/gltf/check_names.h"
#include "io/gltf/layout.h"
#include "io/json/access.h"

namespace flexor::io::gltf {
namespace {

using links::Context;

const char* UsageName(ViewUsage usage) {
  switch (usage) {
    case ViewUsage::kVertices:
      return "vertices";
    case ViewUsage::kIndices:
      return "vertex indices";
    case ViewUsage::kImage:
      return "an image";
    case ViewUsage::kInverseBinds:
      return "inverse bind matrices";
    case ViewUsage::kOther:
      return "other data";
    case ViewUsage::kUnused:
      break;
  }
  return "nothing";
}

const char* UsageName(AccessorUsage usage) {
  switch (usage) {
    case AccessorUsage::kAttribute:
      return "vertices";
    case AccessorUsage::kIndices:
      return "vertex indices";
    case AccessorUsage::kInverseBinds:
      return "inverse bind matrices";
    case AccessorUsage::kKeyTimes:
      return "key times";
    case AccessorUsage::kKeyValues:
      return "key values";
    case AccessorUsage::kUnused:
      break;
  }
  return "nothing";
}

void Views(Context& context) {
  CheckModel& model = context.model();
  for (CheckedView& view : model.views) {
    if (!view.exists) continue;
    const RawBufferView& raw = *view.raw;
    const CheckedBuffer* buffer =
        context.Follow(model.buffers, raw.buffer, view.pointer + "/buffer");
    if (buffer == nullptr || buffer->raw->byte_length == kNoNumber) continue;
    const std::uint64_t available = buffer->raw->byte_length;
    const auto has = [&] {
      return " of buffer " + std::to_string(raw.buffer) + ", which has " +
             std::to_string(available);
    };
    // A broken offset counts as none.
    const std::uint64_t offset = raw.byte_offset == kNoNumber ? 0 : raw.byte_offset;
    if (offset >= available) {
      context.findings().Add("BUFFER_VIEW_TOO_LONG", view.pointer + "/byteOffset",
                             "starts at byte " + std::to_string(offset) + has());
    } else if (raw.byte_length != kNoNumber && raw.byte_length > available - offset) {
      context.findings().Add("BUFFER_VIEW_TOO_LONG", view.pointer + "/byteLength",
                             std::to_string(raw.byte_length) + " bytes do not fit from byte " +
                                 std::to_string(offset) + has());
    }
  }
}

void Images(Context& context) {
  CheckModel& model = context.model();
  for (CheckedImage& image : model.images) {
    if (!image.exists) continue;
    const std::string where = image.pointer + "/bufferView";
    CheckedView* view = context.Find(model.views, image.raw->view, where);
    if (view == nullptr) continue;
    context.UseView(*view, ViewUsage::kImage, where);
    if (view->raw->byte_stride != 0) {
      context.findings().Add("IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE", where,
                             "the buffer view has byteStride " +
                                 std::to_string(view->raw->byte_stride) +
                                 ", but images have no rows");
    }
  }
}

void Textures(Context& context) {
  CheckModel& model = context.model();
  for (CheckedTexture& texture : model.textures) {
    if (!texture.exists) continue;
    context.Follow(model.images, texture.raw->source, texture.pointer + "/source");
    context.Follow(model.samplers, texture.sampler, texture.pointer + "/sampler");
    context.Follow(model.images, texture.webp_source,
                   texture.pointer + "/extensions/EXT_texture_webp/source");
  }
}

void Materials(Context& context) {
  for (CheckedMaterial& material : context.model().materials) {
    for (const CheckedTextureInfo& info : material.textures) {
      context.Follow(context.model().textures, info.texture, info.pointer + "/index");
    }
  }
}

template <class Item>
void ReportUnused(const std::vector<Item>& items, Findings& findings) {
  for (const Item& item : items) {
    if (item.exists && !item.used) {
      findings.Add("UNUSED_OBJECT", item.pointer, "nothing refers to this object");
    }
  }
}

void Unused(Context& context) {
  CheckModel& model = context.model();
  Findings& findings = context.findings();
  ReportUnused(model.accessors, findings);
  ReportUnused(model.buffers, findings);
  ReportUnused(model.views, findings);
  ReportUnused(model.cameras, findings);
  ReportUnused(model.images, findings);
  ReportUnused(model.materials, findings);
  ReportUnused(model.meshes, findings);
  ReportUnused(model.nodes, findings);
  ReportUnused(model.samplers, findings);
  ReportUnused(model.skins, findings);
  ReportUnused(model.textures, findings);
  if (model.lights) ReportUnused(*model.lights, findings);
  if (model.variants) ReportUnused(*model.variants, findings);
  for (const CheckedMesh& mesh : model.meshes) {
    if (mesh.exists && mesh.used && !mesh.raw->weights.empty() && !mesh.weights_used) {
      findings.Add("UNUSED_MESH_WEIGHTS", mesh.pointer + "/weights",
                   "every node that shows this mesh has weights of its own");
    }
  }
}

}  // namespace

bool SpanIsGood(std::uint64_t offset, std::uint32_t component_bytes, double bytes,
                const RawBufferView& view, std::int64_t view_index, const std::string& pointer,
                Findings* findings) {
  if (offset == kNoNumber || component_bytes == 0) return false;
  bool good = true;
  const auto fault = [&](const char* code, const std::string& where, std::string message) {
    good = false;
    if (findings != nullptr) findings->Add(code, where, std::move(message));
  };
  if (offset % component_bytes != 0) {
    fault("ACCESSOR_OFFSET_ALIGNMENT", pointer + "/byteOffset",
          "byteOffset " + std::to_string(offset) + " is not a multiple of the component size " +
              std::to_string(component_bytes));
  }
  if (view.byte_offset == kNoNumber) return false;
  const std::uint64_t total = view.byte_offset + offset;
  if (total % component_bytes != 0) {
    fault("ACCESSOR_TOTAL_OFFSET_ALIGNMENT", pointer,
          "with the buffer view's offset it starts at byte " + std::to_string(total) +
              ", which is not a multiple of the component size " + std::to_string(component_bytes));
  }
  if (view.byte_length == kNoNumber) return false;
  const auto fits = [&] {
    return " of buffer view " + std::to_string(view_index) + ", which has " +
           std::to_string(view.byte_length);
  };
  if (offset > view.byte_length) {
    fault("ACCESSOR_TOO_LONG", pointer + "/byteOffset",
          "starts at byte " + std::to_string(offset) + fits());
  } else if (static_cast<double>(offset) + bytes > static_cast<double>(view.byte_length)) {
    fault("ACCESSOR_TOO_LONG", pointer,
          ShortNumber(bytes) + " bytes do not fit at byte " + std::to_string(offset) + fits());
  }
  return good;
}

namespace links {

void Context::Unresolved(const std::string& where, std::int64_t index, std::size_t count) {
  const bool far = index >= static_cast<std::int64_t>(kFarIndex);
  findings_.Add(
      "UNRESOLVED_REFERENCE", where,
      (far ? "an index of " + std::to_string(kFarIndex) + " or more" : std::to_string(index)) +
          " is out of range; there are " + std::to_string(count));
}

void Context::UseView(CheckedView& view, ViewUsage usage, const std::string& where) {
  view.used = true;
  if (view.usage == ViewUsage::kUnused) {
    view.usage = usage;
    if (usage == ViewUsage::kVertices || usage == ViewUsage::kIndices) {
      findings_.Add(
          "BUFFER_VIEW_TARGET_MISSING", where,
          std::string("the buffer view holds ") + UsageName(usage) + " but has no target");
    }
  } else if (view.usage != usage) {
    findings_.Add("BUFFER_VIEW_TARGET_OVERRIDE", where,
                  std::string("the buffer view holds ") + UsageName(usage) + " here, but " +
                      UsageName(view.usage) + " elsewhere");
  }
}

void Context::UseAccessor(CheckedAccessor& accessor, AccessorUsage usage,
                          const std::string& where) {
  accessor.used = true;
  if (accessor.usage == AccessorUsage::kUnused) {
    accessor.usage = usage;
  } else if (accessor.usage != usage) {
    findings_.Add("ACCESSOR_USAGE_OVERRIDE", where,
                  std::string("the accessor holds ") + UsageName(usage) + " here, but " +
                      UsageName(accessor.usage) + " elsewhere");
  }
}

/// The two views of a sparse accessor.
void SparseViews(Context& context, const CheckedAccessor& accessor, const RawSparse& sparse) {
  const RawAccessor& raw = *accessor.raw;
  const std::string base = accessor.pointer + "/sparse";
  if (sparse.count > raw.count) {
    context.findings().Add(
        "ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", base + "/count",
        "replaces " + std::to_string(sparse.count) + " elements of " + std::to_string(raw.count));
  }
  struct Part {
    const char* name;
    std::uint32_t view;
    std::uint64_t offset;
    std::uint32_t component_bytes;
    std::uint32_t components;
  };
  const Part parts[] = {{"/indices", sparse.indices_view, sparse.indices_offset,
                         ComponentBytes(sparse.indices_type), 1},
                        {"/values", sparse.values_view, sparse.values_offset,
                         ComponentBytes(raw.component), ComponentCount(raw.type)}};
  for (const Part& part : parts) {
    const std::string where = base + part.name + "/bufferView";
    CheckedView* view = context.Find(context.model().views, part.view, where);
    if (view == nullptr) continue;
    context.UseView(*view, ViewUsage::kOther, where);
    if (view->raw->byte_stride != 0) {
      context.findings().Add("BUFFER_VIEW_INVALID_BYTE_STRIDE", where,
                             "the buffer view of sparse data must not have byteStride");
    }
    const double bytes = static_cast<double>(sparse.count) * part.component_bytes * part.components;
    SpanIsGood(part.offset, part.component_bytes, bytes, *view->raw, part.view, base + part.name,
               &context.findings());
  }
}

void Accessors(Context& context) {
  CheckModel& model = context.model();
  for (std::size_t i = 0; i < model.accessors.size(); ++i) {
    CheckedAccessor& accessor = model.accessors[i];
    if (!accessor.exists) continue;
    const RawAccessor& raw = *accessor.raw;
    const auto index = static_cast<std::uint32_t>(i);
    if (raw.component == ComponentType::kFloat || raw.component == ComponentType::kUnknown) {
      model.data_rules.push_back({index, DataRuleKind::kFinite, accessor.pointer});
    }
    if (accessor.min != nullptr || accessor.max != nullptr) {
      model.data_rules.push_back({index, DataRuleKind::kBounds, accessor.pointer});
    }
    if (!accessor.IsComplete()) continue;
    CheckedView* view = context.Follow(model.views, raw.view, accessor.pointer + "/bufferView");
    if (view != nullptr) {
      const std::uint32_t own = view->raw->byte_stride;
      const std::uint32_t element = ElementExtent(raw.component, raw.type);
      if (own != 0 && own < element) {
        context.findings().Add("ACCESSOR_SMALL_BYTESTRIDE", accessor.pointer,
                               "an element takes " + std::to_string(element) +
                                   " bytes, but byteStride is " + std::to_string(own));
      }
      const std::uint32_t stride = own != 0 ? own : PackedStride(raw.component, raw.type);
      const double bytes =
          static_cast<double>(stride) * (static_cast<double>(raw.count) - 1) + element;
      SpanIsGood(raw.byte_offset, ComponentBytes(raw.component), bytes, *view->raw, raw.view,
                 accessor.pointer, &context.findings());
    }
    if (raw.sparse) SparseViews(context, accessor, *raw.sparse);
  }
}

}  // namespace links

void CheckLinks(CheckModel& model, Findings& findings) {
  Context context(model, findings);
  context.Find(model.scenes, model.scene, "/scene");
  // The order matters where the first use of a view or an accessor decides what it holds.
  Views(context);
  links::Accessors(context);
  Images(context);
  Textures(context);
  Materials(context);
  links::Meshes(context);
  links::Nodes(context);
  links::Skins(context);
  links::Animations(context);
  links::Scenes(context);
  links::Hierarchy(context);
  Unused(context);
}

}  // namespace flexor::io::gltf
