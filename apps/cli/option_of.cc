#include "cli/option_of.h"

#include <string_view>

namespace flexor::cli {
namespace {

struct SettingOption {
  std::string_view setting, option;
};
constexpr SettingOption kOptions[] = {
    {"BakeSettings::merge", "--merge"},
    {"PerformerSettings::all_instances", "flexor bake --all-meshes"},
    {"PortraitSettings::joint", "--joint NAME"},
    {"PortraitSettings::against", "--against METHOD"},
};

}  // namespace

Error WithOption(Error error) {
  for (const SettingOption& entry : kOptions) {
    if (error.place.element != entry.setting) continue;
    error.place.element.clear();
    error.message += " (" + std::string(entry.option) + ")";
  }
  return error;
}

}  // namespace flexor::cli
