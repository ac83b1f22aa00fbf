#include "cli/table.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "flexor/core/utf8.h"

#include "cli/shell.h"

namespace flexor::cli {
namespace {

// Columns that a terminal uses for UTF-8: two for East Asian wide forms, none for marks.
std::size_t Columns(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const std::uint32_t code = TakeUtf8(text);
    const bool mark = code >= 0x300 && code < 0x370;
    const bool wide = (code >= 0x1100 && code < 0x1160) || (code >= 0x2e80 && code < 0xa4d0) ||
                      (code >= 0xac00 && code < 0xd7a4) || (code >= 0xf900 && code < 0xfb00) ||
                      (code >= 0xfe30 && code < 0xfe70) || (code >= 0xff00 && code < 0xff61) ||
                      (code >= 0xffe0 && code < 0xffe7) || (code >= 0x1f300 && code < 0x1faff) ||
                      (code >= 0x20000 && code < 0x3fffe);
    columns += mark ? 0 : wide ? 2 : 1;
  }
  return columns;
}

}  // namespace

Table::Table(std::vector<std::string> head) : head_(std::move(head)) {
  for (std::string& cell : head_) {
    right_.push_back(cell.starts_with('>'));
    if (right_.back()) cell.erase(0, 1);
    widths_.push_back(Columns(cell));
  }
}

void Table::Reserve(std::vector<std::size_t> widths) {
  widths.resize(widths_.size());
  for (std::size_t i = 0; i < widths_.size(); ++i) widths_[i] = std::max(widths_[i], widths[i]);
}

void Table::Add(std::vector<std::string> cells) {
  cells.resize(head_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = Printable(cells[i]);
    widths_[i] = std::max(widths_[i], Columns(cells[i]));
  }
  rows_.push_back(std::move(cells));
}

std::string Table::LineOf(const std::vector<std::string>& cells) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string gap(widths_[i] - Columns(cells[i]), ' ');
    line += "  " + (right_[i] ? gap + cells[i] : cells[i] + gap);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string Table::HeadLine() const { return LineOf(head_); }

std::string Table::LastLine() const { return LineOf(rows_.back()); }

std::string Table::Text() const {
  std::string text = HeadLine();
  for (const auto& row : rows_) text += LineOf(row);
  return text;
}

std::string Grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3;) {
    i -= 3;
    text.insert(i, ",");
  }
  return text;
}

std::string Decimal(double value, int digits) {
  char buffer[400];
  std::snprintf(buffer, sizeof(buffer), "%.*f", digits, value);
  std::string text = buffer;
  if (text.find('.') != text.npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

}  // namespace flexor::cli
