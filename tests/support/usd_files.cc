#include "support/usd_files.h"

#include <limits>

#include "io/usd/attribute.h"
#include "io/usd/numeric.h"

namespace flexor::test {

UsdFiles& UsdFiles::Add(const std::string& name, std::string_view text) {
  std::string whole(text);
  if (whole.substr(0, 5) != "#usda") whole = "#usda 1.0\n" + whole;
  const auto* first = reinterpret_cast<const std::byte*>(whole.data());
  files_[name].assign(first, first + whole.size());
  return *this;
}

io::ResourceFn UsdFiles::Resources() const {
  return [this](const std::string& name, std::uint64_t) -> Result<std::vector<std::byte>> {
    const auto found = files_.find(name);
    if (found != files_.end()) return found->second;
    return Error{ErrorCode::kFileNotFound, "no file of that name", {name, {}, {}}};
  };
}

ComposedStage::ComposedStage(const UsdFiles& files, const std::string& root,
                             const io::usd::ComposeLimits& limits, std::uint64_t budget_bytes)
    : resources_(files.Resources()),
      budget_(budget_bytes),
      stage_(io::usd::Stage::Compose(files.Bytes(root), root, resources_, options_, limits, budget_,
                                     diagnostics_)) {}

const io::usd::StagePrim* ComposedStage::Prim(std::string_view path) {
  const auto parsed = stage().paths().Parse(path, stage().paths().root());
  const std::int32_t found = parsed.ok() ? stage().Find(*parsed) : -1;
  return found < 0 ? nullptr : &stage()[static_cast<std::size_t>(found)];
}

io::usd::Property ComposedStage::Find(std::string_view property) {
  const std::size_t dot = property.find('.');
  const io::usd::StagePrim* prim = Prim(property.substr(0, dot));
  return prim ? stage().FindProperty(*prim, property.substr(dot + 1)) : io::usd::Property();
}

namespace {

double Number(const Result<io::usd::Value>& value) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!value.ok()) return kNone;
  if (const auto* time = value->Get<io::usd::TimeCode>()) return time->value;
  return io::usd::AsNumber(*value).value_or(kNone);
}

}  // namespace

double ComposedStage::Default(std::string_view property) {
  return Number(io::usd::DefaultValue(Find(property), budget_));
}

double ComposedStage::At(std::string_view property, double time) {
  return Number(io::usd::ValueAt(Find(property), time, io::usd::Between::kLinear, budget_));
}

std::string ComposedStage::Children(std::string_view path) {
  const io::usd::StagePrim* prim = Prim(path);
  if (prim == nullptr) return "(no prim)";
  std::string names;
  for (const std::uint32_t child : prim->children) {
    names += (names.empty() ? "" : " ") + stage()[child].path.name().str();
  }
  return names;
}

std::string ComposedStage::Targets(std::string_view property) {
  const std::size_t dot = property.find('.');
  const io::usd::StagePrim* prim = Prim(property.substr(0, dot));
  if (prim == nullptr) return "(no prim)";
  std::string targets;
  for (const io::usd::Path target : stage().Targets(*prim, property.substr(dot + 1))) {
    targets += (targets.empty() ? "" : " ") + target.ToString();
  }
  return targets;
}

std::vector<double> ComposedStage::Times(std::string_view property) {
  return io::usd::SampleTimes(Find(property));
}

std::string ComposedStage::Stack(std::string_view path) {
  const io::usd::StagePrim* prim = Prim(path);
  if (prim == nullptr) return "(no prim)";
  std::string stack;
  for (const io::usd::Opinion& opinion : prim->opinions) {
    stack += (stack.empty() ? "" : " ") + opinion.layer->identifier() + ":" +
             opinion.spec->path.ToString();
  }
  return stack;
}

}  // namespace flexor::test
