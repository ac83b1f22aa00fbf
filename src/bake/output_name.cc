#include "flexor/bake/output_name.h"

#include <algorithm>
#include <string>

namespace flexor::bake {
namespace {

Error Refused(std::string_view path, std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message), {std::string(path), {}, {}}};
}

}  // namespace

Status CheckPlaceholders(std::string_view path, std::initializer_list<std::string_view> known) {
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == path.npos ? 0 : slash + 1;
  for (const std::string_view word : known) {
    if (path.substr(0, name).find(word) == path.npos) continue;
    return Refused(path,
                   std::string(word) + " stands in the folder; only the file name may hold it");
  }
  std::string list;
  for (const std::string_view word : known) {
    list += (list.empty() ? "" : " and ") + std::string(word);
  }
  for (std::size_t begin = path.find('{', name); begin != path.npos;
       begin = path.find('{', begin + 1)) {
    const std::size_t end = path.find_first_of("{}", begin + 1);
    if (end == path.npos || path[end] == '{') continue;
    const std::string_view word = path.substr(begin, end + 1 - begin);
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    return Refused(path, std::string(word) + " means nothing in this name; " +
                             (list.empty() ? "it may hold no words in braces"
                                           : "known words in braces: " + list));
  }
  return {};
}

}  // namespace flexor::bake
