/// @file bake/compare_page.h
/// A comparison as one HTML file that needs nothing else: no network, no folder beside it.
#pragma once

#include <string>

#include "flexor/bake/compare.h"
#include "flexor/bake/compare_pictures.h"
#include "flexor/core/export.h"

namespace flexor::bake {

/// The page: the headline numbers, pictures as data URIs with a slider between two methods, plots
/// as SVG, tables, and the whole comparison as JSON inside. Names are escaped; follows the
/// reader's light or dark setting; without script everything but the slider works.
/// `pictures` may have no rows. `tool` names what made it, e.g. "flexor 0.1.0".
FLEXOR_API std::string ComparePage(const Comparison& comparison, const ComparePictures& pictures,
                                   const std::string& tool);

}  // namespace flexor::bake
