#include "io/gltf/check_links.h"

#include <algorithm>

#include "io/gltf/check_names.h"
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
    const CheckedBuffer* buffer =
        context.Follow(model.buffers, view.buffer, view.pointer + "/buffer");
    if (buffer == nullptr || buffer->byte_length == kAbsent) continue;
    const std::string length = std::to_string(buffer->byte_length);
    if (view.byte_offset >= buffer->byte_length) {
      context.findings().Add("BUFFER_VIEW_TOO_LONG", view.pointer + "/byteOffset",
                             "starts at byte " + std::to_string(view.byte_offset) + " of buffer " +
                                 std::to_string(view.buffer) + ", which has " + length);
    } else if (view.byte_length > buffer->byte_length - view.byte_offset) {
      context.findings().Add("BUFFER_VIEW_TOO_LONG", view.pointer + "/byteLength",
                             std::to_string(view.byte_length) + " bytes from byte " +
                                 std::to_string(view.byte_offset) + " on do not fit in buffer " +
                                 std::to_string(view.buffer) + ", which has " + length);
    }
  }
}

void Images(Context& context) {
  CheckModel& model = context.model();
  for (CheckedImage& image : model.images) {
    if (!image.exists || image.view == kAbsent) continue;
    const std::string where = image.pointer + "/bufferView";
    CheckedView* view = CheckModel::Resolve(model.views, image.view);
    if (view == nullptr) {
      context.Unresolved(where, image.view, model.views.size());
      continue;
    }
    context.UseView(*view, ViewUsage::kImage, where);
    if (view->byte_stride != kAbsent) {
      context.findings().Add("IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE", where,
                             "the buffer view has byteStride " + std::to_string(view->byte_stride) +
                                 ", but images have no rows");
    }
  }
}

void Textures(Context& context) {
  CheckModel& model = context.model();
  for (CheckedTexture& texture : model.textures) {
    if (!texture.exists) continue;
    context.Follow(model.images, texture.source, texture.pointer + "/source");
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
    if (mesh.has_weights && mesh.used && !mesh.weights_used) {
      findings.Add("UNUSED_MESH_WEIGHTS", mesh.pointer + "/weights",
                   "every node that shows this mesh has weights of its own");
    }
  }
}

}  // namespace

bool SpanIsGood(std::int64_t offset, std::int64_t component_bytes, double bytes,
                const CheckedView& view, std::int64_t view_index, const std::string& pointer,
                Findings* findings) {
  if (offset == kAbsent || component_bytes <= 0) return false;
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
  if (view.byte_offset == kAbsent) return false;
  const std::int64_t total = view.byte_offset + offset;
  if (total % component_bytes != 0) {
    fault("ACCESSOR_TOTAL_OFFSET_ALIGNMENT", pointer,
          "with the buffer view's offset it starts at byte " + std::to_string(total) +
              ", which is not a multiple of the component size " + std::to_string(component_bytes));
  }
  if (view.byte_length == kAbsent) return false;
  const std::string fits = " of buffer view " + std::to_string(view_index) + ", which has " +
                           std::to_string(view.byte_length);
  if (offset > view.byte_length) {
    fault("ACCESSOR_TOO_LONG", pointer + "/byteOffset",
          "starts at byte " + std::to_string(offset) + fits);
  } else if (static_cast<double>(offset) + bytes > static_cast<double>(view.byte_length)) {
    fault("ACCESSOR_TOO_LONG", pointer,
          ShortNumber(bytes) + " bytes do not fit at byte " + std::to_string(offset) + fits);
  }
  return good;
}

namespace links {

void Context::Unresolved(const std::string& where, std::int64_t index, std::size_t count) {
  findings_.Add("UNRESOLVED_REFERENCE", where,
                std::to_string(index) + " is out of range; there are " + std::to_string(count));
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
void SparseViews(Context& context, const CheckedAccessor& accessor, const CheckedSparse& sparse) {
  const std::string base = accessor.pointer + "/sparse";
  if (sparse.count > accessor.count) {
    context.findings().Add("ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", base + "/count",
                           "replaces " + std::to_string(sparse.count) + " elements of " +
                               std::to_string(accessor.count));
  }
  struct Part {
    const char* name;
    std::int64_t view;
    std::int64_t offset;
    std::int64_t component_bytes;
    double bytes;
  };
  CheckedAccessor indices;
  indices.format.component_type = sparse.indices_type;
  const auto count = static_cast<double>(sparse.count);
  const Part parts[] = {
      {"/indices", sparse.indices_view, sparse.indices_offset, indices.ComponentBytes(),
       count * static_cast<double>(indices.ComponentBytes())},
      {"/values", sparse.values_view, sparse.values_offset, accessor.ComponentBytes(),
       count * static_cast<double>(accessor.ComponentBytes()) *
           static_cast<double>(accessor.format.components)}};
  for (const Part& part : parts) {
    if (part.view == kAbsent) continue;
    const std::string where = base + part.name + "/bufferView";
    CheckedView* view = CheckModel::Resolve(context.model().views, part.view);
    if (view == nullptr) {
      context.Unresolved(where, part.view, context.model().views.size());
      continue;
    }
    context.UseView(*view, ViewUsage::kOther, where);
    if (view->byte_stride != kAbsent) {
      context.findings().Add("BUFFER_VIEW_INVALID_BYTE_STRIDE", where,
                             "the buffer view of sparse data must not have byteStride");
    }
    SpanIsGood(part.offset, part.component_bytes, part.bytes, *view, part.view, base + part.name,
               &context.findings());
  }
}

void Accessors(Context& context) {
  CheckModel& model = context.model();
  for (std::size_t i = 0; i < model.accessors.size(); ++i) {
    CheckedAccessor& accessor = model.accessors[i];
    if (!accessor.exists) continue;
    const auto index = static_cast<std::int64_t>(i);
    if (accessor.format.component_type == 5126 || accessor.format.component_type == kAbsent) {
      model.data_rules.push_back({index, DataRuleKind::kFinite, accessor.pointer});
    }
    if (accessor.min || accessor.max) {
      model.data_rules.push_back({index, DataRuleKind::kBounds, accessor.pointer});
    }
    if (!accessor.IsComplete()) continue;
    CheckedView* view =
        context.Follow(model.views, accessor.view, accessor.pointer + "/bufferView");
    if (view != nullptr) {
      if (view->byte_stride != kAbsent && view->byte_stride < accessor.ElementBytes()) {
        context.findings().Add("ACCESSOR_SMALL_BYTESTRIDE", accessor.pointer,
                               "an element takes " + std::to_string(accessor.ElementBytes()) +
                                   " bytes, but byteStride is " +
                                   std::to_string(view->byte_stride));
      }
      const std::int64_t stride =
          view->byte_stride != kAbsent ? view->byte_stride : accessor.PackedStride();
      SpanIsGood(accessor.byte_offset, accessor.ComponentBytes(),
                 static_cast<double>(stride) * static_cast<double>(accessor.count - 1) +
                     static_cast<double>(accessor.ElementBytes()),
                 *view, accessor.view, accessor.pointer, &context.findings());
    }
    if (accessor.sparse) SparseViews(context, accessor, *accessor.sparse);
  }
}

}  // namespace links

void CheckLinks(CheckModel& model, Findings& findings) {
  Context context(model, findings);
  if (model.scene != kAbsent && CheckModel::Resolve(model.scenes, model.scene) == nullptr) {
    context.Unresolved("/scene", model.scene, model.scenes.size());
  }
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
