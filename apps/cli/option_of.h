/// @file cli/option_of.h
/// The option of the command behind a setting of the library.
#pragma once

#include "flexor/core/error.h"

namespace flexor::cli {

/// The error as a person at the command line needs it: where the library names a setting of its own
/// as the place (`BakeSettings::merge`), the option that sets it stands in the message instead.
Error WithOption(Error error);

}  // namespace flexor::cli
