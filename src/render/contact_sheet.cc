#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <string>

#include "flexor/render/image.h"

#include "render/canvas.h"

namespace flexor::render {
namespace {

constexpr std::uint32_t kPaper[4] = {0xF6, 0xF7, 0xF9, 0xFF};
constexpr std::uint32_t kTitleColor = 0x1F242BFF;
constexpr std::uint32_t kLabelColor = 0x3D444EFF;

struct Sheet {
  int columns = 1, rows = 1;
  int cell_width = 0, cell_height = 0;
  int gap = 0;
  int label_size = 0, label_band = 0;
  int title_size = 0, title_band = 0;
  std::int64_t width = 0, height = 0;
};

Sheet Arrange(std::span<const Image> pictures, bool labelled, bool titled, int columns) {
  Sheet sheet;
  for (const Image& picture : pictures) {
    sheet.cell_width = std::max(sheet.cell_width, picture.width);
    sheet.cell_height = std::max(sheet.cell_height, picture.height);
  }
  const int count = static_cast<int>(pictures.size());
  if (columns < 1) {
    const double shape = static_cast<double>(sheet.cell_height) / sheet.cell_width;
    columns = static_cast<int>(std::lround(std::ceil(std::sqrt(count * shape) - 1e-9)));
  }
  sheet.columns = std::clamp(columns, 1, count);
  sheet.rows = (count + sheet.columns - 1) / sheet.columns;
  sheet.gap = std::clamp(sheet.cell_width / 32, 4, 32);
  if (labelled) {
    sheet.label_size = std::clamp(sheet.cell_width / 22, 11, 40);
    sheet.label_band = TextHeight(sheet.label_size) + sheet.label_size / 2;
  }
  const std::int64_t gaps = sheet.gap;
  sheet.width = gaps + std::int64_t{sheet.columns} * (sheet.cell_width + gaps);
  if (titled) {
    sheet.title_size = static_cast<int>(std::clamp<std::int64_t>(sheet.width / 40, 14, 64));
    sheet.title_band = TextHeight(sheet.title_size) + sheet.title_size * 3 / 4;
  }
  sheet.height = gaps + sheet.title_band +
                 std::int64_t{sheet.rows} * (sheet.label_band + sheet.cell_height + gaps);
  return sheet;
}

void Paste(Image& sheet, const Image& picture, int left, int top) {
  for (int y = 0; y < picture.height; ++y) {
    const std::uint8_t* from = picture.rgba.data() + std::size_t{4} * picture.width * y;
    std::uint8_t* to = PixelAt(sheet, left, top + y);
    for (int x = 0; x < picture.width; ++x, from += 4, to += 4) {
      if (from[3] == 255) {
        std::memcpy(to, from, 4);
      } else {
        const std::uint32_t color = static_cast<std::uint32_t>(from[0]) << 24 |
                                    static_cast<std::uint32_t>(from[1]) << 16 |
                                    static_cast<std::uint32_t>(from[2]) << 8 | from[3];
        BlendPixel(sheet, left + x, top + y, color, 1);
      }
    }
  }
}

}  // namespace

Result<Image> ContactSheet(std::span<const Image> pictures,
                           std::span<const std::string_view> labels, std::string_view title,
                           int columns) try {
  constexpr std::int64_t kLargestSide = 32768;
  constexpr std::int64_t kLargestArea = std::int64_t{1} << 28;
  if (pictures.empty()) {
    return Error{ErrorCode::kInvalidArgument, "a contact sheet needs at least one picture", {}};
  }
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    if (IsWhole(pictures[i])) continue;
    return Error{ErrorCode::kInvalidArgument,
                 "picture " + std::to_string(i) + " of the contact sheet has " +
                     std::to_string(pictures[i].rgba.size()) + " bytes for " +
                     std::to_string(pictures[i].width) + " x " +
                     std::to_string(pictures[i].height) + " pixels",
                 {}};
  }
  // Every cell is at least one pixel, so more pictures than this cannot fit either.
  const bool too_many = pictures.size() > static_cast<std::size_t>(kLargestArea);
  const Sheet sheet =
      too_many ? Sheet{} : Arrange(pictures, !labels.empty(), !title.empty(), columns);
  if (too_many || sheet.width > kLargestSide || sheet.height > kLargestSide ||
      sheet.width * sheet.height > kLargestArea) {
    return Error{ErrorCode::kLimitExceeded,
                 "a contact sheet of " + std::to_string(pictures.size()) + " pictures would be " +
                     std::to_string(sheet.width) + " x " + std::to_string(sheet.height) +
                     " pixels; the limits are 32768 a side and 268435456 in all. Draw smaller or "
                     "fewer pictures",
                 {}};
  }

  Image out;
  out.width = static_cast<int>(sheet.width);
  out.height = static_cast<int>(sheet.height);
  out.rgba.resize(std::size_t{4} * out.width * out.height);
  for (std::size_t i = 0; i < out.rgba.size(); ++i) {
    out.rgba[i] = static_cast<std::uint8_t>(kPaper[i % 4]);
  }
  if (!title.empty()) {
    DrawText(out, sheet.gap, sheet.gap, sheet.title_size, kTitleColor,
             FittingText(title, sheet.title_size, out.width - 2 * sheet.gap));
  }
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const int column = static_cast<int>(i) % sheet.columns;
    const int row = static_cast<int>(i) / sheet.columns;
    const int left = sheet.gap + column * (sheet.cell_width + sheet.gap);
    const int top =
        sheet.gap + sheet.title_band + row * (sheet.label_band + sheet.cell_height + sheet.gap);
    if (i < labels.size()) {
      DrawText(out, left, top, sheet.label_size, kLabelColor,
               FittingText(labels[i], sheet.label_size, sheet.cell_width));
    }
    Paste(out, pictures[i], left, top + sheet.label_band);
  }
  return out;
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "memory ran out while a contact sheet was laid out", {}};
}

}  // namespace flexor::render
