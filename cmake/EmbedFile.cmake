# Run by cmake -P: writes the bytes of INPUT as a C++ array NAME in the file OUTPUT, in namespace flexor::render.
file(READ "${INPUT}" hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
get_filename_component(from "${INPUT}" NAME)
file(
  WRITE "${OUTPUT}"
  "// Generated from ${from}.
#include \"render/font.h\"
namespace flexor::render {
namespace {
constexpr unsigned char kBytes[] = {${bytes}};
static_assert(sizeof(kBytes) == ${size});
}  // namespace
std::span<const unsigned char> ${NAME}() { return kBytes; }
}  // namespace flexor::render
")
