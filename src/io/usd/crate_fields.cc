// What the fields of a crate say about specs.

#include <cmath>
#include <optional>
#include <utility>

#include "io/usd/crate_layer_builder.h"
#include "io/usd/metadata_types.h"

namespace flexor::io::usd {
namespace {

Error WrongType(ErrorCode code = ErrorCode::kParse) {
  return Error{code, "its value is of another type than it should be", {}};
}

/// A scalar number as another kind of number.
Value AsNumber(const Value& value, ValueType type) {
  std::optional<double> number;
  if (const auto* real = value.Get<float>()) number = *real;
  if (const auto* real = value.Get<double>()) number = *real;
  if (const auto* integer = value.Get<std::int32_t>()) number = *integer;
  if (number && type == ValueType::kFloat) return Value::Of(static_cast<float>(*number));
  if (number && type == ValueType::kDouble) return Value::Of(*number);
  return value;
}

/// Whether a key that is known holds what it may hold.
bool Fits(const Value& value, const MetadataType& type) {
  return value.type() == type.type && value.is_array() == type.is_array;
}

}  // namespace

Status CrateLayerBuilder::Ignore(const CrateField& field, Path path, Error error) {
  if (error.code == ErrorCode::kLimitExceeded) return error;
  Report(diagnostics_, "USD_FIELD_IGNORED", path.ToString(),
         "the field '" + crate_->token(field.token).str() + "': " + error.message);
  return {};
}

Result<Value> CrateLayerBuilder::LoadShared(std::uint64_t code) {
  if (CrateCode(code).is_inlined()) return crate_->Load(code, budget_);
  if (const auto found = shared_.find(code); found != shared_.end()) return found->second;
  FLEXOR_ASSIGN(Value value, crate_->Load(code, budget_));
  shared_.emplace(code, value);
  return value;
}

Result<Token> CrateLayerBuilder::LoadToken(std::uint64_t code) {
  FLEXOR_ASSIGN(const Value value, crate_->Load(code, budget_));
  if (const Token* token = value.Get<Token>()) return *token;
  return WrongType();
}

Result<std::vector<Token>> CrateLayerBuilder::LoadNames(std::uint64_t code) {
  // A list may serve many specs: what all of them unfold to is bounded.
  constexpr std::uint64_t kMaxNames = 64u << 20;
  FLEXOR_ASSIGN(const auto indices, crate_->LoadTokenIndices(code));
  names_ += indices.size();
  if (names_ > kMaxNames) {
    return Error{ErrorCode::kLimitExceeded,
                 "lists of names have more than " + std::to_string(kMaxNames) + " items in all",
                 {}};
  }
  std::vector<Token> names;
  names.reserve(indices.size());
  for (const std::uint32_t index : indices) names.push_back(crate_->token(index));
  return names;
}

Status CrateLayerBuilder::ApplyToPrim(const CrateField& field, PrimSpec& prim) {
  const FieldKind kind = kinds_[field.token];
  if (kind == FieldKind::kMetadata) return ApplyMetadata(field, prim.path, prim.metadata);
  auto applied = ApplyPrimField(field, kind, prim);
  return applied.ok() ? Status() : Ignore(field, prim.path, std::move(applied).error());
}

Status CrateLayerBuilder::ApplyPrimField(const CrateField& field, FieldKind kind, PrimSpec& prim) {
  const CrateCode code(field.code);
  switch (kind) {
    case FieldKind::kSpecifier:
      if (code.type() != kCrateSpecifier || code.payload() > 2) return WrongType();
      prim.specifier = static_cast<Specifier>(code.payload());
      return {};
    case FieldKind::kTypeName: {
      FLEXOR_ASSIGN(prim.type_name, LoadToken(field.code));
      return {};
    }
    case FieldKind::kChildren:
    case FieldKind::kProperties:
    case FieldKind::kVariantSets:
      FLEXOR_TRY(budget_.Charge(1, 2 * sizeof(ChildList), "lists of children"));
      child_lists_.push_back({&prim, {}, kind, field.code});
      return {};
    case FieldKind::kChildOrder:
    case FieldKind::kPropertyOrder: {
      FLEXOR_ASSIGN(auto names, LoadNames(field.code));
      FLEXOR_TRY(budget_.Charge(names.size(), sizeof(Token), "an order of children"));
      (kind == FieldKind::kChildOrder ? prim.child_order : prim.property_order) = std::move(names);
      return {};
    }
    case FieldKind::kReferences:
      return ApplyReferences(field, prim.references);
    case FieldKind::kPayload:
      return ApplyReferences(field, prim.payloads);
    case FieldKind::kInherits:
      return ApplyPaths(field, prim.path, prim.inherits);
    case FieldKind::kSpecializes:
      return ApplyPaths(field, prim.path, prim.specializes);
    case FieldKind::kVariantSetNames:
    case FieldKind::kApiSchemas:
      return ApplyNames(field, prim);
    case FieldKind::kSelections: {
      FLEXOR_ASSIGN(prim.selections, crate_->LoadSelections(field.code, budget_));
      return {};
    }
    case FieldKind::kSubLayers:
      return prim.path.IsRoot() ? ApplySubLayers(field) : Status();
    case FieldKind::kSubLayerOffsets:
      return prim.path.IsRoot() ? ApplyOffsets(field) : Status();
    case FieldKind::kRelocates:
      return ApplyRelocates(field, prim);
    default:
      return {};  // fields of properties mean nothing here
  }
}

Status CrateLayerBuilder::ApplyNames(const CrateField& field, PrimSpec& prim) {
  FLEXOR_ASSIGN(const Value value, LoadShared(field.code));
  if (kinds_[field.token] == FieldKind::kApiSchemas) {
    const auto* names = value.list_op<Token>();
    if (names == nullptr) return WrongType();
    prim.api_schemas = std::make_unique<ListOp<Token>>(*names);
    return {};
  }
  const auto* names = value.list_op<String>();
  if (names == nullptr) return WrongType();
  prim.variant_set_names = std::make_unique<ListOp<Token>>();
  ListOp<Token>& op = *prim.variant_set_names;
  op.is_explicit = names->is_explicit;
  const auto copy = [](const std::vector<String>& from, std::vector<Token>& to) {
    for (const String name : from) to.push_back(name.text);
  };
  copy(names->explicit_items, op.explicit_items);
  copy(names->added, op.added);
  copy(names->prepended, op.prepended);
  copy(names->appended, op.appended);
  copy(names->deleted, op.deleted);
  copy(names->ordered, op.ordered);
  return {};
}

Status CrateLayerBuilder::ApplySubLayers(const CrateField& field) {
  FLEXOR_ASSIGN(const Value value, LoadShared(field.code));
  if (!value.IsArrayOf<String>()) return WrongType();
  FLEXOR_TRY(budget_.Charge(value.count(), sizeof(SubLayer), "sublayers"));
  // Offsets may have come before.
  layer_.sublayers().resize(value.count());
  for (std::size_t i = 0; i < value.count(); ++i) {
    layer_.sublayers()[i].asset = value.Array<String>()[i].text;
  }
  return {};
}

Status CrateLayerBuilder::ApplyOffsets(const CrateField& field) {
  FLEXOR_ASSIGN(const auto offsets, crate_->LoadLayerOffsets(field.code));
  auto& sublayers = layer_.sublayers();
  if (sublayers.size() < offsets.size()) {
    FLEXOR_TRY(budget_.Charge(offsets.size(), sizeof(SubLayer), "sublayers"));
    sublayers.resize(offsets.size());
  }
  for (std::size_t i = 0; i < offsets.size(); ++i) sublayers[i].time = offsets[i];
  return {};
}

Status CrateLayerBuilder::ApplyRelocates(const CrateField& field, PrimSpec& prim) {
  FLEXOR_ASSIGN(prim.relocates, crate_->LoadRelocates(field.code, budget_));
  return {};
}

Status CrateLayerBuilder::ApplyReferences(const CrateField& field,
                                          std::unique_ptr<ListOp<Reference>>& out) {
  FLEXOR_ASSIGN(auto op, crate_->LoadReferenceListOp(field.code, budget_));
  out = std::make_unique<ListOp<Reference>>(std::move(op));
  return {};
}

Status CrateLayerBuilder::ApplyPaths(const CrateField& field, Path path,
                                     std::unique_ptr<ListOp<Path>>& out) {
  FLEXOR_ASSIGN(auto op, crate_->LoadPathListOp(field.code, budget_));
  std::size_t skipped = 0;
  for (auto* list :
       {&op.explicit_items, &op.added, &op.prepended, &op.appended, &op.deleted, &op.ordered}) {
    skipped += std::erase_if(*list, [](Path item) { return item.empty(); });
  }
  if (skipped > 0) {
    Report(diagnostics_, "USD_TARGET_SKIPPED", path.ToString(),
           std::to_string(skipped) + " of its targets point into targets of others");
  }
  out = std::make_unique<ListOp<Path>>(std::move(op));
  return {};
}

Status CrateLayerBuilder::ApplyToProperty(const CrateField& field, PropertySpec& property) {
  const FieldKind kind = kinds_[field.token];
  if (kind == FieldKind::kMetadata) return ApplyMetadata(field, property.path, property.metadata);
  // Without its samples an attribute would be something else.
  if (kind == FieldKind::kTimeSamples) return ApplySamples(field, property);
  auto applied = ApplyPropertyField(field, kind, property);
  return applied.ok() ? Status() : Ignore(field, property.path, std::move(applied).error());
}

Status CrateLayerBuilder::ApplyPropertyField(const CrateField& field, FieldKind kind,
                                             PropertySpec& property) {
  const CrateCode code(field.code);
  switch (kind) {
    case FieldKind::kTypeName: {
      FLEXOR_ASSIGN(property.type_name, LoadToken(field.code));
      return {};
    }
    case FieldKind::kCustom: {
      FLEXOR_ASSIGN(const Value value, crate_->Load(field.code, budget_));
      if (!value.Is<bool>()) return WrongType();
      property.custom = value.GetOr(false);
      return {};
    }
    case FieldKind::kVariability:
      // 2 is "config", an old word for uniform.
      if (code.type() != kCrateVariability || code.payload() > 2) return WrongType();
      property.variability = code.payload() == 0 ? Variability::kVarying : Variability::kUniform;
      return {};
    case FieldKind::kDefault:
      property.default_value = LazyValue(crate_, field.code);
      return {};
    case FieldKind::kSpline:
      property.has_spline = true;
      return {};
    case FieldKind::kTargets:
      return ApplyPaths(field, property.path, property.targets);
    default:
      return {};  // fields of prims mean nothing here
  }
}

Status CrateLayerBuilder::ApplySamples(const CrateField& field, PropertySpec& property) {
  auto& samples = samples_[field.code];
  if (!samples) {
    FLEXOR_ASSIGN(samples, crate_->LoadTimeSamples(field.code, budget_));
  }
  property.samples = samples;
  return {};
}

Status CrateLayerBuilder::ApplyMetadata(const CrateField& field, Path path, Fields& fields) {
  const Token name = crate_->token(field.token);
  auto value = LoadShared(field.code);
  if (!value.ok()) return Ignore(field, path, std::move(value).error());
  if (const MetadataType* type = FindMetadataType(name.text())) {
    if (!value->is_array()) *value = AsNumber(*value, type->type);
    if (!Fits(*value, *type)) return Ignore(field, path, WrongType());
  }
  FLEXOR_TRY(budget_.Charge(1, 2 * sizeof(fields.entries[0]), "metadata"));
  fields.Set(name, *std::move(value));
  return {};
}

}  // namespace flexor::io::usd
