// Prints what a USD layer holds as JSON, for tools/usd_agreement.py to compare: usd_dump FILE …
// One line a layer, the layers of a package one by one; numbers so that they read back exactly.

#include <cmath>
#include <cstdio>
#include <string>

#include "flexor/core/file.h"

#include "io/usd/layer.h"
#include "io/usd/package.h"
#include "io/usd/read_layer.h"

namespace flexor::io::usd {
namespace {

std::string out;

void Text(std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  out += '"';
}

void Number(double number) {
  if (std::isnan(number)) {
    out += "NaN";
  } else if (std::isinf(number)) {
    out += number > 0 ? "Infinity" : "-Infinity";
  } else {
    char text[32];
    std::snprintf(text, sizeof(text), "%.17g", number);
    out += text;
  }
}

template <class Items, class Print>
void List(const Items& items, Print&& print) {
  out += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ',';
    first = false;
    print(item);
  }
  out += ']';
}

void Key(std::string_view key) {
  if (out.back() != '{') out += ',';
  Text(key);
  out += ':';
}

void Print(bool v) { out += v ? "true" : "false"; }
void Print(std::uint8_t v) { out += std::to_string(v); }
void Print(std::int32_t v) { out += std::to_string(v); }
void Print(std::uint32_t v) { out += std::to_string(v); }
void Print(std::int64_t v) { out += std::to_string(v); }
void Print(std::uint64_t v) { out += std::to_string(v); }
void Print(Half v) { Number(ToFloat(v)); }
void Print(float v) { Number(v); }
void Print(double v) { Number(v); }
void Print(TimeCode v) { Number(v.value); }
void Print(Token v) { Text(v.text()); }
void Print(String v) { Text(v.text.text()); }
void Print(AssetPath v) { Text(v.text.text()); }
void Print(PathExpression v) { Text(v.text.text()); }
void Print(Path v) { Text(v.ToString()); }
template <class T>
void Parts(std::initializer_list<T> parts) {
  List(parts, [](const T& part) { Print(part); });
}
template <class T>
void Print(const Vec2<T>& v) {
  Parts({v.x, v.y});
}
template <class T>
void Print(const Vec3<T>& v) {
  Parts({v.x, v.y, v.z});
}
template <class T>
void Print(const Vec4<T>& v) {
  Parts({v.x, v.y, v.z, v.w});
}
template <class T>
void Print(const Quat<T>& v) {
  Parts({v.x, v.y, v.z, v.w});
}
void Print(const Quath& v) { Parts({v.x, v.y, v.z, v.w}); }
template <int N>
void Print(const RowMatrix<N>& v) {
  List(v.m, [](const auto& row) { List(row, [](double part) { Print(part); }); });
}

void PrintValue(const Value& value);

void PrintDictionary(const Dictionary& dictionary) {
  out += '{';
  for (const auto& [name, value] : dictionary.entries) {
    Key(name.text());
    PrintValue(value);
  }
  out += '}';
}

void Print(const Reference& v) {
  out += '[';
  Print(v.asset);
  out += ',';
  Print(v.prim);
  out += ',';
  Print(v.time.offset);
  out += ',';
  Print(v.time.scale);
  out += ',';
  PrintDictionary(v.custom_data ? *v.custom_data : Dictionary());
  out += ']';
}

template <class T>
void PrintListOp(const ListOp<T>& op) {
  out += '{';
  const auto list = [](std::string_view name, const std::vector<T>& items) {
    if (items.empty()) return;
    Key(name);
    List(items, [](const T& item) { Print(item); });
  };
  if (op.is_explicit) {
    Key("explicit");
    List(op.explicit_items, [](const T& item) { Print(item); });
  }
  list("added", op.added);
  list("prepended", op.prepended);
  list("appended", op.appended);
  list("deleted", op.deleted);
  list("ordered", op.ordered);
  out += '}';
}

void PrintValue(const Value& value) {
  out += '{';
  Key("type");
  Text(std::string(Info(value.type()).name) + (value.is_array() ? "[]" : ""));
  Key("value");
  if (HasArrays(value.type())) {
    WithElementType(value.type(), [&](auto element) {
      using T = decltype(element);
      if (value.is_array()) {
        List(value.Array<T>(), [](const T& item) { Print(item); });
      } else {
        Print(*value.Get<T>());
      }
    });
  } else if (const Dictionary* dictionary = value.dictionary()) {
    PrintDictionary(*dictionary);
  } else if (value.type() == ValueType::kTokenListOp) {
    PrintListOp(*value.list_op<Token>());
  } else if (value.type() == ValueType::kStringListOp) {
    PrintListOp(*value.list_op<String>());
  } else if (value.type() == ValueType::kIntListOp) {
    PrintListOp(*value.list_op<std::int32_t>());
  } else if (value.type() == ValueType::kInt64ListOp) {
    PrintListOp(*value.list_op<std::int64_t>());
  } else if (value.type() == ValueType::kUIntListOp) {
    PrintListOp(*value.list_op<std::uint32_t>());
  } else if (value.type() == ValueType::kUInt64ListOp) {
    PrintListOp(*value.list_op<std::uint64_t>());
  } else {
    Text(value.text());
  }
  out += '}';
}

void PrintLoaded(const Result<Value>& value) {
  if (value.ok()) {
    PrintValue(*value);
  } else {
    out += "{\"error\":";
    Text(value.error().ToString());
    out += '}';
  }
}

void PrintMetadata(const Fields& fields) {
  Key("metadata");
  out += '{';
  for (const auto& [name, value] : fields.entries) {
    Key(name.text());
    PrintValue(value);
  }
  out += '}';
}

template <class T>
void PrintEdits(std::string_view name, const std::unique_ptr<ListOp<T>>& op) {
  if (!op) return;
  Key(name);
  PrintListOp(*op);
}

void PrintPrim(const PrimSpec& prim) {
  Key(prim.path.ToString());
  out += '{';
  Key("specifier");
  constexpr std::string_view kNames[] = {"def", "over", "class"};
  Text(kNames[static_cast<int>(prim.specifier)]);
  Key("typeName");
  Text(prim.type_name.text());
  Key("children");
  List(prim.children, [](const PrimSpec* child) { Text(child->name().text()); });
  Key("properties");
  List(prim.properties, [](const PropertySpec* property) { Text(property->name().text()); });
  Key("variantSets");
  out += '{';
  for (const VariantSetSpec& set : prim.variant_sets) {
    Key(set.name.text());
    List(set.variants, [](const PrimSpec* variant) { Text(variant->name().text()); });
  }
  out += '}';
  PrintEdits("references", prim.references);
  PrintEdits("payload", prim.payloads);
  PrintEdits("inheritPaths", prim.inherits);
  PrintEdits("specializes", prim.specializes);
  PrintEdits("variantSetNames", prim.variant_set_names);
  PrintEdits("apiSchemas", prim.api_schemas);
  if (!prim.selections.empty()) {
    Key("variantSelection");
    out += '{';
    for (const VariantSelection& selection : prim.selections) {
      Key(selection.set.text());
      Text(selection.variant.text());
    }
    out += '}';
  }
  if (!prim.relocates.empty()) {
    Key("relocates");
    List(prim.relocates, [](const Relocate& relocate) {
      out += '[';
      Print(relocate.source);
      out += ',';
      Print(relocate.target);
      out += ']';
    });
  }
  if (!prim.child_order.empty()) {
    Key("primOrder");
    List(prim.child_order, [](Token name) { Print(name); });
  }
  if (!prim.property_order.empty()) {
    Key("propertyOrder");
    List(prim.property_order, [](Token name) { Print(name); });
  }
  PrintMetadata(prim.metadata);
  out += '}';
}

void PrintProperty(const PropertySpec& property, MemoryBudget& budget) {
  Key(property.path.ToString());
  out += '{';
  Key("custom");
  Print(property.custom);
  Key("uniform");
  Print(property.variability == Variability::kUniform);
  if (!property.is_relationship) {
    Key("typeName");
    Text(property.type_name.text());
  }
  PrintEdits(property.is_relationship ? "targetPaths" : "connectionPaths", property.targets);
  if (!property.default_value.empty()) {
    Key("default");
    PrintLoaded(property.default_value.Load(budget));
  }
  if (property.samples) {
    Key("timeSamples");
    out += '[';
    for (std::size_t i = 0; i < property.samples->size(); ++i) {
      out += i == 0 ? "[" : ",[";
      Print(property.samples->times()[i]);
      out += ',';
      PrintLoaded(property.samples->Load(i, budget));
      out += ']';
    }
    out += ']';
  }
  if (property.has_spline) {
    Key("spline");
    out += "true";
  }
  PrintMetadata(property.metadata);
  out += '}';
}

void PrintSpecs(const PrimSpec& prim, MemoryBudget& budget) {
  PrintPrim(prim);
  for (const PropertySpec* property : prim.properties) PrintProperty(*property, budget);
  for (const PrimSpec* child : prim.children) PrintSpecs(*child, budget);
  for (const VariantSetSpec& set : prim.variant_sets) {
    for (const PrimSpec* variant : set.variants) PrintSpecs(*variant, budget);
  }
}

void PrintError(const Error& error) {
  Key("error");
  Text(error.ToString());
}

void DumpLayer(const SharedBytes& bytes, const std::string& identifier) {
  MemoryBudget budget(8ull << 30);
  Diagnostics diagnostics;
  const auto layer = ReadLayer(bytes, identifier, std::make_shared<PathTable>(budget), diagnostics);
  out = "{";
  Key("file");
  Text(identifier);
  if (layer.ok()) {
    Key("subLayers");
    List((*layer)->sublayers(), [](const SubLayer& sublayer) {
      out += '[';
      Print(sublayer.asset);
      out += ',';
      Print(sublayer.time.offset);
      out += ',';
      Print(sublayer.time.scale);
      out += ']';
    });
    Key("specs");
    out += '{';
    PrintSpecs((*layer)->root(), budget);
    out += '}';
  } else {
    PrintError(layer.error());
  }
  Key("diagnostics");
  List(diagnostics.entries(), [](const Diagnostic& diagnostic) {
    Text(diagnostic.code + " " + diagnostic.where + ": " + diagnostic.message);
  });
  out += "}\n";
  std::fwrite(out.data(), 1, out.size(), stdout);
}

void DumpFile(const std::string& path) {
  auto bytes = ReadFile(path, 4ull << 30);
  if (!bytes.ok()) {
    std::fprintf(stderr, "%s\n", bytes.error().ToString().c_str());
    return;
  }
  const SharedBytes shared = SharedBytes::Of(*std::move(bytes));
  if (!Package::HasMagic(shared.data)) return DumpLayer(shared, path);
  MemoryBudget budget(1 << 20);
  Diagnostics diagnostics;
  const auto package = Package::Open(shared, path, budget, diagnostics);
  if (!package.ok()) {
    out = "{";
    Key("file");
    Text(path);
    PrintError(package.error());
    out += "}\n";
    std::fwrite(out.data(), 1, out.size(), stdout);
    return;
  }
  for (const Package::Entry& entry : package->entries()) {
    if (Package::IsLayerName(entry.name)) DumpLayer(entry.bytes, path + "[" + entry.name + "]");
  }
}

}  // namespace
}  // namespace flexor::io::usd

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) flexor::io::usd::DumpFile(argv[i]);
  return argc > 1 ? 0 : 2;
}
