/// @file cli/table.h
/// Columns of text that line up, whatever script their names are written in.
#pragma once

#include <string>
#include <vector>

namespace flexor::cli {

/// Rows of cells under a head; numbers to the right.
class Table {
 public:
  /// A head that starts with '>' makes a column that is aligned to the right.
  explicit Table(std::vector<std::string> head);
  void Add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  /// Columns at least this wide, for tables whose lines are shown before all of them are known.
  void Reserve(std::vector<std::size_t> widths);
  /// The line of the head, and of the row added last, in the widths known by now.
  std::string HeadLine() const;
  std::string LastLine() const;
  /// Lines with two spaces before and between columns.
  std::string Text() const;

 private:
  std::string LineOf(const std::vector<std::string>& cells) const;

  std::vector<std::string> head_;
  std::vector<bool> right_;
  std::vector<std::size_t> widths_;  ///< of head, rows and what was reserved
  std::vector<std::vector<std::string>> rows_;
};

/// 1234567 as "1,234,567".
std::string Grouped(std::uint64_t value);

/// A number with at most that many digits after the point, zeros at its end left out.
std::string Decimal(double value, int digits);

}  // namespace flexor::cli
