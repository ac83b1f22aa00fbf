/// @file io/gltf/check_names.h
/// Numbers and references in the words of the check.
#pragma once

#include <string>

#include "io/gltf/check_findings.h"

namespace flexor::io::gltf {

/// A stored number for messages: integers whole, fractions with as many digits as a float holds.
std::string ShortNumber(double value);

/// Reports a URI that is malformed or not relative, and any in a binary file. Data URIs are only
/// reported here for being in a binary file.
void CheckUri(Findings& findings, const std::string& uri, const std::string& where, bool is_glb);

}  // namespace flexor::io::gltf
