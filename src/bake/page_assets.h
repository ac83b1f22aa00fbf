/// @file bake/page_assets.h
/// The style sheet and the one small script of the comparison page.
#pragma once

#include <string_view>

namespace flexor::bake {

/// CSS: light and dark, colours of series s0 to s5, plots, tables, picture rows, the slider.
std::string_view PageStyle();

/// Moves the slider between two pictures, and picks which two. Without it, both stand side by side.
std::string_view PageScript();

}  // namespace flexor::bake
