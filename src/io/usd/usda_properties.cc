// Attributes and relationships.

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/rules.h"
#include "io/usd/usda_parser.h"

namespace flexor::io::usd {

bool UsdaParser::ParseProperty(PrimSpec& prim, ListEdit edit) {
  const bool custom = cursor_.AcceptWord("custom");
  Variability variability = Variability::kVarying;
  bool varying = false;
  const Mark at = cursor_.mark();
  if (cursor_.AcceptWord("uniform") || cursor_.AcceptWord("config")) {
    variability = Variability::kUniform;
  } else if (cursor_.AcceptWord("varying")) {
    varying = true;
  }
  if (cursor_.AcceptWord("rel")) {
    if (variability == Variability::kUniform) {
      return cursor_.Fail(at, "a relationship is uniform anyway and cannot say so");
    }
    return ParseRelationship(prim, edit, custom,
                             varying ? Variability::kVarying : Variability::kUniform);
  }
  if (varying) return cursor_.FailExpected("rel: attributes do not say varying");
  return ParseAttribute(prim, edit, custom, variability);
}

bool UsdaParser::Declare(PrimSpec& prim, Mark at, std::string_view name, bool is_relationship,
                         PropertySpec*& out) {
  Token token;
  if (!values_.Intern(name, token)) return false;
  const Path path = paths_.Property(prim.path, token);
  if (path.empty()) return cursor_.Fail(paths_.status().error());
  out = layer_.FindProperty(path);
  if (out != nullptr) {
    if (out->is_relationship == is_relationship) return true;
    return cursor_.Fail(at, "'" + token.str() + "' is an attribute here and a relationship there");
  }
  auto added = layer_.AddProperty(path);
  if (!added.ok()) return cursor_.Fail(std::move(added).error());
  out = *added;
  out->is_relationship = is_relationship;
  return true;
}

bool UsdaParser::ParseRelationship(PrimSpec& prim, ListEdit edit, bool custom,
                                   Variability variability) {
  cursor_.SkipBlanks();
  const Mark at = cursor_.mark();
  std::string_view name;
  if (!cursor_.PropertyName(name)) return false;
  PropertySpec* relationship = nullptr;
  if (!Declare(prim, at, name, true, relationship)) return false;
  relationship->custom |= custom;
  relationship->variability = variability;
  if (cursor_.Accept('.')) {
    // rel name.default = <path>: obsolete, and means nothing.
    if (!cursor_.AcceptWord("default")) return cursor_.FailExpected("default");
    std::string_view ignored;
    return cursor_.Expect('=') && cursor_.AnyValue(ignored);
  }
  if (cursor_.Accept('=')) {
    if (!ParseTargets(*relationship, edit, prim.path)) return false;
  } else if (edit != ListEdit::kExplicit) {
    return cursor_.FailExpected("'='");
  }
  return !AtMetadata() || ParseMetadata([&] { return ParseFieldItem(relationship->metadata); });
}

bool UsdaParser::ParseTargets(PropertySpec& property, ListEdit edit, Path prim) {
  cursor_.SkipBlanks();
  const Mark at = cursor_.mark();
  const Path anchor = paths_.WithoutVariants(prim);
  std::vector<Path> targets;
  const bool read = ParseItems(edit, true, targets,
                               [&](Path& target) { return ParseTarget(property, anchor, target); });
  std::erase_if(targets, [](Path target) { return target.empty(); });
  return read && SetItems(property.targets, edit, std::move(targets), at);
}

bool UsdaParser::ParseTarget(const PropertySpec& property, Path anchor, Path& out) {
  cursor_.SkipBlanks();
  const Mark at = cursor_.mark();
  std::string_view text;
  if (!cursor_.PathText(text)) return false;
  auto parsed = paths_.Parse(text, anchor);
  if (!parsed.ok() && parsed.error().code == ErrorCode::kUnsupportedFeature) {
    Report(diagnostics_, "USD_TARGET_SKIPPED", property.path.ToString(),
           cursor_.LineAndColumn(at) + ": " + parsed.error().message);
    return true;
  }
  if (!parsed.ok()) return cursor_.Fail(at, parsed.error().message, parsed.error().code);
  out = *parsed;
  if (!out.HasVariant() && !out.IsRoot()) return true;
  return cursor_.Fail(at, "a target is a prim or property, without variants");
}

bool UsdaParser::ParseAttributeType(Token& out_name, std::optional<TypeName>& out_type) {
  cursor_.SkipBlanks();
  const Mark at = cursor_.mark();
  std::string_view word;
  if (!cursor_.Word(word, "a property, a prim or '}'")) return false;
  if (cursor_.Peek() == ':' || word == "dictionary") {
    return cursor_.Fail(at, "'" + std::string(word) + "' is no type of an attribute");
  }
  std::string name(word);
  if (cursor_.Accept('[')) {
    if (!cursor_.Expect(']')) return false;
    name += "[]";
  }
  out_type = FindTypeName(name);
  if (out_type) {
    name = out_type->name;
    if (out_type->is_array) name += "[]";
  }
  return values_.Intern(name, out_name);
}

bool UsdaParser::DeclareAttribute(PrimSpec& prim, Mark at, std::string_view name, Token type,
                                  Variability variability, PropertySpec*& out) {
  if (!Declare(prim, at, name, false, out)) return false;
  if (out->type_name.empty()) {
    out->type_name = type;
    out->variability = variability;
    return true;
  }
  if (out->type_name != type) {
    return cursor_.Fail(at, "'" + std::string(name) + "' is declared as " + type.str() +
                                " here and as " + out->type_name.str() + " before");
  }
  if (out->variability != variability) {
    return cursor_.Fail(at, "'" + std::string(name) + "' is uniform in one place only");
  }
  return true;
}

bool UsdaParser::ParseAttribute(PrimSpec& prim, ListEdit edit, bool custom,
                                Variability variability) {
  Token type_name;
  std::optional<TypeName> type;
  if (!ParseAttributeType(type_name, type)) return false;
  cursor_.SkipBlanks();
  const Mark at = cursor_.mark();
  std::string_view name;
  if (!cursor_.PropertyName(name)) return false;
  PropertySpec* attribute = nullptr;
  if (!DeclareAttribute(prim, at, name, type_name, variability, attribute)) return false;
  attribute->custom |= custom;
  if (!cursor_.Accept('.')) {
    if (edit != ListEdit::kExplicit) {
      return cursor_.Fail(at, "the value of an attribute is no list that could be edited");
    }
    if (cursor_.Accept('=') && !ParseDefault(*attribute, type)) return false;
    return !AtMetadata() || ParseMetadata([&] { return ParseFieldItem(attribute->metadata); });
  }
  std::string_view part;
  if (!cursor_.Word(part, "timeSamples, connect or spline")) return false;
  if (part == "connect") {
    return cursor_.Expect('=') && ParseTargets(*attribute, edit, prim.path);
  }
  if (edit != ListEdit::kExplicit || custom) {
    return cursor_.Fail(at, "samples and splines are neither edited nor custom");
  }
  if (part == "timeSamples") return cursor_.Expect('=') && ParseTimeSamples(*attribute, type);
  if (part == "spline") return cursor_.Expect('=') && ParseSpline(*attribute);
  return cursor_.Fail(at, "an attribute has no '." + std::string(part.substr(0, 60)) +
                              "', only timeSamples, connect and spline");
}

bool UsdaParser::ParseValueOrBlock(const std::optional<TypeName>& type, Value& out) {
  if (None()) {
    out = Value::Block();
    return true;
  }
  if (type) return values_.Read(*type, out);
  // Of a type that nobody knows: its text is kept.
  std::string_view text;
  Token token;
  if (!cursor_.AnyValue(text) || !values_.Intern(text, token)) return false;
  out = Value::OfText(ValueType::kUnsupported, token);
  return true;
}

bool UsdaParser::ParseDefault(PropertySpec& attribute, const std::optional<TypeName>& type) {
  if (attribute.type_name == "opaque" || attribute.type_name == "group") {
    return cursor_.FailExpected("no value: " + attribute.type_name.str() + " has none");
  }
  Value value;
  if (!ParseValueOrBlock(type, value)) return false;
  attribute.default_value = std::move(value);
  return true;
}

bool UsdaParser::ParseTimeSamples(PropertySpec& attribute, const std::optional<TypeName>& type) {
  constexpr std::size_t kMaxSamples = 1'000'000;
  cursor_.SkipBlanks();
  const Mark open = cursor_.mark();
  if (!cursor_.Expect('{')) return false;
  std::vector<std::pair<double, Value>> samples;
  cursor_.SkipLines();
  while (cursor_.Peek() != '}') {
    if (cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'{'");
    const Mark at = cursor_.mark();
    double time = 0;
    Value value;
    if (!cursor_.Real(time)) return false;
    if (!std::isfinite(time)) return cursor_.Fail(at, "the time of a sample is not finite");
    if (samples.size() == kMaxSamples) {
      return cursor_.Fail(at, "more than " + std::to_string(kMaxSamples) + " samples",
                          ErrorCode::kLimitExceeded);
    }
    if (!cursor_.Expect(':') || !ParseValueOrBlock(type, value)) return false;
    if (!Charge(2 * sizeof(samples[0]), "samples")) return false;
    samples.emplace_back(time, std::move(value));
    const bool comma = cursor_.Accept(',');
    cursor_.SkipLines();
    if (!comma && cursor_.Peek() != '}') {
      if (cursor_.AtEnd()) return cursor_.FailUnclosed(open, "'{'");
      return cursor_.FailExpected("',' or '}'");
    }
  }
  cursor_.Skip();
  std::ranges::stable_sort(samples, {}, [](const auto& sample) { return sample.first; });
  auto times = std::make_shared<std::vector<double>>();
  std::vector<Value> values;
  times->reserve(samples.size());
  values.reserve(samples.size());
  for (auto& [time, value] : samples) {
    if (!times->empty() && times->back() == time) {
      values.back() = std::move(value);
    } else {
      times->push_back(time);
      values.push_back(std::move(value));
    }
  }
  attribute.samples = std::make_shared<TimeSamples>(std::move(times), std::move(values));
  return true;
}

bool UsdaParser::ParseSpline(PropertySpec& attribute) {
  std::string_view ignored;
  if (cursor_.SkipBlanks(); cursor_.Peek() != '{') return cursor_.FailExpected("'{'");
  attribute.has_spline = true;
  return cursor_.AnyValue(ignored);
}

}  // namespace flexor::io::usd
