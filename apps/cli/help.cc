#include "cli/help.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

namespace flexor::cli {
namespace {

constexpr std::size_t kLeft = 30, kWidth = 100;

std::size_t CountColumns(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return count;
}

// "  left    words of the description", wrapped in the right column.
void PutEntry(const std::string& left, const std::string& description, std::string& page) {
  std::string line = "  " + left;
  if (line.size() + 2 > kLeft) {
    page += line + "\n";
    line.clear();
  }
  line.resize(std::max(line.size(), kLeft), ' ');
  std::size_t columns = line.size();
  bool first = true;
  for (std::size_t begin = 0; begin < description.size();) {
    const std::size_t end = std::min(description.find(' ', begin), description.size());
    const std::string word = description.substr(begin, end - begin);
    const std::size_t width = CountColumns(word);
    if (!first && columns + 1 + width > kWidth) {
      page += line + "\n";
      line.assign(kLeft, ' ');
      columns = kLeft;
      first = true;
    }
    if (!first) line += ' ';
    line += word;
    columns += width + (first ? 0 : 1);
    first = false;
    begin = end + 1;
  }
  page += line + "\n";
}

std::string LeftOf(const CLI::Option& option) {
  std::string left;
  for (const std::string& name : option.get_snames()) left += (left.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) {
    left += (left.empty() ? "--" : ", --") + name;
  }
  if (option.get_type_size() == 0) return left;
  const std::string& text = option.get_option_text();
  return left + " " + (text.empty() ? option.get_type_name() : text);
}

std::string RightOf(const CLI::Option& option) {
  std::string right = option.get_description();
  if (!option.get_default_str().empty()) right += " (" + option.get_default_str() + ")";
  return right;
}

class HelpPages : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    std::string page = app->get_description() + "\n\nUsage: " + name;
    const auto shown =
        app->get_options([](const CLI::Option* o) { return !o->get_group().empty(); });
    const auto commands =
        app->get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
    std::string positionals;
    for (const CLI::Option* option : shown) {
      if (!option->get_positional()) continue;
      const bool many = option->get_items_expected_max() > 1;
      page += " [" + option->get_single_name() + (many ? "...]" : "]");
      PutEntry(option->get_single_name() + (many ? "..." : ""), option->get_description(),
               positionals);
    }
    page += commands.empty() ? " [OPTIONS]\n" : " COMMAND [OPTIONS]\n";
    if (!positionals.empty()) page += "\n" + positionals;
    if (!commands.empty()) {
      page += "\nCommands\n";
      for (const CLI::App* sub : commands) PutEntry(sub->get_name(), sub->get_description(), page);
    }
    std::vector<std::string> groups = app->get_groups();
    // The group that holds --help goes last: it is never what somebody looks for.
    std::stable_partition(groups.begin(), groups.end(),
                          [](const std::string& group) { return group != "Options"; });
    for (const std::string& group : groups) {
      std::string entries;
      for (const CLI::Option* option : shown) {
        if (option->get_group() != group || !option->nonpositional()) continue;
        PutEntry(LeftOf(*option), RightOf(*option), entries);
      }
      if (entries.empty()) continue;
      page += "\n" + (group == "Options" ? std::string("Help") : group) + "\n" + entries;
    }
    return page + "\n" + app->get_footer() + "\n";
  }
};

}  // namespace

void UseHelpPages(CLI::App& root) { root.formatter(std::make_shared<HelpPages>()); }

}  // namespace flexor::cli
