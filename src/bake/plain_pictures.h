/// @file bake/plain_pictures.h
/// Pictures in a format that every format of characters takes.
#pragma once

#include "flexor/asset/character.h"

namespace flexor::bake {

/// Makes PNGs of the BMP and TGA pictures of a character, where the build has pictures and as far
/// as they can be decoded; others stay as they are.
void MakePicturesPlain(asset::Character& character);

}  // namespace flexor::bake
