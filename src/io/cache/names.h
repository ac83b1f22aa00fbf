/// @file io/cache/names.h
/// Mesh names as parts of file names and archive paths, and the placeholders of output paths.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flexor::io {

/// `name` as one part of a path on any system: what separates or means something to a shell or a
/// file system becomes '_', broken UTF-8 too; other letters of any script stay. At most 100 bytes;
/// never empty, never "." or "..", never a device name of Windows.
std::string SafeName(std::string_view name);

/// Safe names of several meshes, all different also where case does not count: the second "Body"
/// becomes "Body_2".
std::vector<std::string> SafeNames(std::span<const std::string> names);

inline constexpr std::string_view kMeshPlaceholder = "{mesh}";
inline constexpr std::string_view kFramePlaceholder = "{frame}";

/// The path with its placeholders filled in. One pass: a mesh called "{frame}" stays that.
std::string ExpandPath(std::string_view path, std::string_view mesh, std::string_view frame);

}  // namespace flexor::io
