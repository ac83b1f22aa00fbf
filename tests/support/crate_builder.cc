#include "support/crate_builder.h"

#include <algorithm>

namespace flexor::test {
namespace {

template <class Integer>
std::string PackedAs(std::span<const Integer> numbers) {
  if (numbers.empty()) return Raw(std::uint64_t{0});
  std::string content = Raw(Integer{0});
  content.append((numbers.size() + 3) / 4, '\xFF');  // code 3: a delta in full
  Integer previous = 0;
  for (const Integer number : numbers) {
    content += Raw(static_cast<Integer>(number - previous));
    previous = number;
  }
  const std::string packed = PackedBytes(content);
  return Raw(std::uint64_t{packed.size()}) + packed;
}

}  // namespace

std::string PackedBytes(std::string_view raw) {
  std::string packed(1, '\0');
  if (raw.size() < 15) {
    packed += static_cast<char>(raw.size() << 4);
  } else {
    packed += '\xF0';
    std::size_t more = raw.size() - 15;
    for (; more >= 255; more -= 255) packed += '\xFF';
    packed += static_cast<char>(more);
  }
  return packed.append(raw);
}

std::string PackedIntegers(std::span<const std::uint32_t> numbers) { return PackedAs(numbers); }
std::string PackedIntegers64(std::span<const std::uint64_t> numbers) { return PackedAs(numbers); }

CrateBuilder::CrateBuilder() : tokens{";-)"}, path_items{{0, 0, -2}} { specs = {{0, Set({}), 7}}; }

std::uint32_t CrateBuilder::Token(std::string_view text) {
  auto found = std::find(tokens.begin(), tokens.end(), text);
  if (found == tokens.end()) found = tokens.insert(found, std::string(text));
  return static_cast<std::uint32_t>(found - tokens.begin());
}

std::uint32_t CrateBuilder::String(std::string_view text) {
  strings.push_back(Token(text));
  return static_cast<std::uint32_t>(strings.size() - 1);
}

std::uint64_t CrateBuilder::Add(std::string_view bytes, std::uint64_t alignment) {
  constexpr std::uint64_t kHeaderBytes = 88;
  while ((kHeaderBytes + values.size()) % alignment != 0) values += '\0';
  values.append(bytes);
  return kHeaderBytes + values.size() - bytes.size();
}

std::uint32_t CrateBuilder::Set(const std::vector<std::pair<std::string, std::uint64_t>>& named) {
  const auto start = static_cast<std::uint32_t>(field_sets.size());
  for (const auto& [name, code] : named) {
    field_sets.push_back(static_cast<std::uint32_t>(fields.size()));
    fields.push_back({Token(name), code});
  }
  field_sets.push_back(0xFFFFFFFF);
  return start;
}

std::vector<std::byte> CrateBuilder::Bytes() const {
  std::string file = "PXR-USDC" + version + std::string(72, '\0') + values;
  std::string contents;
  std::uint64_t sections = 0;
  const auto section = [&](std::string name, std::string_view bytes) {
    name.resize(16, '\0');
    contents += name + Raw(std::uint64_t{file.size()}, std::uint64_t{bytes.size()});
    file.append(bytes);
    ++sections;
  };
  const auto integers = [](const auto& items, auto&& part) {
    std::vector<std::uint32_t> numbers;
    for (const auto& item : items) numbers.push_back(static_cast<std::uint32_t>(part(item)));
    return PackedIntegers(numbers);
  };

  std::string text;
  for (const std::string& token : tokens) text += token + '\0';
  const std::string packed_text = PackedBytes(text);
  section("TOKENS", Raw(token_count ? token_count : std::uint64_t{tokens.size()},
                        std::uint64_t{text.size()}, std::uint64_t{packed_text.size()}) +
                        packed_text);
  std::string string_bytes = Raw(std::uint64_t{strings.size()});
  for (const std::uint32_t index : strings) string_bytes += Raw(index);
  section("STRINGS", string_bytes);
  std::string codes;
  for (const Field& field : fields) codes += Raw(field.code);
  const std::string packed_codes = PackedBytes(codes);
  section("FIELDS", Raw(std::uint64_t{fields.size()}) +
                        integers(fields, [](const Field& field) { return field.token; }) +
                        Raw(std::uint64_t{packed_codes.size()}) + packed_codes);
  section("FIELDSETS", Raw(std::uint64_t{field_sets.size()}) + PackedIntegers(field_sets));
  section("PATHS", Raw(path_count, std::uint64_t{path_items.size()}) +
                       integers(path_items, [](const PathItem& item) { return item.slot; }) +
                       integers(path_items, [](const PathItem& item) { return item.element; }) +
                       integers(path_items, [](const PathItem& item) { return item.jump; }));
  section("SPECS", Raw(std::uint64_t{specs.size()}) +
                       integers(specs, [](const Spec& spec) { return spec.path; }) +
                       integers(specs, [](const Spec& spec) { return spec.field_set; }) +
                       integers(specs, [](const Spec& spec) { return spec.type; }));
  const std::string at = Raw(std::uint64_t{file.size()});
  file.replace(16, at.size(), at);
  file += Raw(sections) + contents;
  std::vector<std::byte> bytes(file.size());
  std::transform(file.begin(), file.end(), bytes.begin(),
                 [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

CrateBuilder CrateWithAttributes(
    const std::vector<std::pair<std::string, std::uint64_t>>& attributes, CrateBuilder builder) {
  const auto names = [&](const std::vector<std::string>& list) {
    std::string bytes = Raw(std::uint64_t{list.size()});
    for (const std::string& name : list) bytes += Raw(builder.Token(name));
    return CrateBuilder::Code(41, builder.Add(bytes));
  };
  std::vector<std::string> property_names;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    property_names.push_back("x" + std::to_string(i));
  }
  const std::uint64_t children = names({"A"});
  builder.specs[0].field_set = builder.Set({{"primChildren", children}});
  builder.path_items[0].jump = -1;
  builder.path_items.push_back(
      {1, static_cast<std::int32_t>(builder.Token("A")), attributes.empty() ? -2 : -1});
  const std::uint64_t properties = names(property_names);
  builder.specs.push_back(
      {1,
       builder.Set({{"specifier", CrateBuilder::Inlined(42, 0)},
                    {"typeName", CrateBuilder::Inlined(11, builder.Token("Mesh"))},
                    {"properties", properties}}),
       6});
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const auto slot = static_cast<std::uint32_t>(builder.path_items.size());
    const auto element = -static_cast<std::int32_t>(builder.Token(property_names[i]));
    builder.path_items.push_back({slot, element, i + 1 < attributes.size() ? 0 : -2});
    const std::uint64_t type = CrateBuilder::Inlined(11, builder.Token(attributes[i].first));
    builder.specs.push_back(
        {slot, builder.Set({{"typeName", type}, {"default", attributes[i].second}}), 1});
  }
  builder.path_count = builder.path_items.size();
  return builder;
}

}  // namespace flexor::test
