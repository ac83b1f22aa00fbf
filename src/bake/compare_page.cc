#include "flexor/bake/compare_page.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "bake/bake_sink.h"
#include "bake/page_assets.h"
#include "bake/svg_plot.h"

namespace flexor::bake {
namespace {

std::string Base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < left ? std::to_integer<unsigned>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= left ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

std::string ColorClass(std::size_t index) { return "s" + std::to_string(index % 6); }

// A distance in millimetres as people say it.
std::string Mm(double value) {
  if (value >= 1000) return ShortNumber(value / 1000, 3) + " m";
  return ShortNumber(value, 3) + " mm";
}
std::string Percent(double ratio) { return ShortNumber(100 * ratio, 4) + " %"; }
std::string Ratio(double value) {
  char buffer[48];
  std::snprintf(buffer, sizeof(buffer), "%.4f", value);
  return buffer;
}
std::string OrDash(const std::optional<double>& ratio) { return ratio ? Ratio(*ratio) : "–"; }

std::string FrameName(double frame) { return "frame " + ShortNumber(frame, 6); }

class Page {
 public:
  Page(const Comparison& comparison, const ComparePictures& pictures, const std::string& tool)
      : c_(comparison), pictures_(pictures), tool_(tool) {}

  std::string Build() {
    Head();
    Headline();
    Cards();
    Pictures();
    Plots();
    Tables();
    Foot();
    return std::move(html_);
  }

 private:
  std::string Method(std::size_t m) const { return EscapeHtml(c_.methods[m]); }
  std::string Title() const {
    const std::string name = c_.character.empty() ? "character" : c_.character;
    std::string methods;
    for (std::size_t m = 0; m < c_.methods.size(); ++m) {
      if (m > 0) methods += m + 1 == c_.methods.size() ? " and " : ", ";
      methods += c_.methods[m];
    }
    return name + ": " + methods;
  }

  void Head() {
    html_ +=
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
        EscapeHtml(Title()) + "</title>\n<style>";
    html_ += PageStyle();
    html_ += "</style>\n</head>\n<body>\n<main>\n";
  }

  void Headline() {
    html_ += "<h1>" + EscapeHtml(Title()) + "</h1>\n<p class=\"facts\">";
    html_ += c_.clip ? "Clip “" + EscapeHtml(*c_.clip) + "”" : std::string("Rest pose");
    const std::size_t n = c_.frames.size();
    html_ += n == 1 ? ", " + FrameName(c_.frames.front().time.frame)
                    : ", " + std::to_string(n) + " frames from " +
                          ShortNumber(c_.frames.front().time.frame, 6) + " to " +
                          ShortNumber(c_.frames.back().time.frame, 6);
    html_ += " · " + std::to_string(c_.vertices) + " vertices · " + std::to_string(c_.joints) +
             " joints · " + ShortNumber(c_.size, 3) + " m across at rest</p>\n";
    if (c_.all.pairs.empty()) return;
    const PairNumbers& worst = *std::max_element(c_.all.pairs.begin(), c_.all.pairs.end(),
                                                 [](const PairNumbers& a, const PairNumbers& b) {
                                                   return a.distance.max_mm < b.distance.max_mm;
                                                 });
    html_ += "<p class=\"lead\"><strong>" + Method(worst.a) + "</strong> and <strong>" +
             Method(worst.b) + "</strong> ";
    if (worst.distance.max_mm == 0) {
      html_ += "give the same points in every frame.</p>\n";
      return;
    }
    html_ += "are at most <strong>" + Mm(worst.distance.max_mm) + "</strong> apart, " +
             ShortNumber(100 * worst.distance.max_of_size, 2) + " %" +
             " of the character’s size: " + FrameName(worst.worst_frame) + ", " +
             EscapeHtml(worst.worst_vertex) + ".</p>\n";
  }

  void Cards() {
    html_ += "<div class=\"cards\">\n";
    for (std::size_t m = 0; m < c_.methods.size(); ++m) {
      const ShapeNumbers& all = c_.all.shapes[m];
      html_ += "<div class=\"card\"><h3 class=\"" + ColorClass(m) + "\"><span class=\"swatch\">" +
               "</span>" + Method(m) + "</h3>";
      if (all.ring_radius_ratio) {
        html_ += "<div class=\"big\">" + Percent(*all.ring_radius_ratio) +
                 "</div><div class=\"note\">of the ring’s rest radius, at its smallest</div>";
      } else if (all.volume_ratio) {
        html_ += "<div class=\"big\">" + Percent(*all.volume_ratio) +
                 "</div><div class=\"note\">of the rest volume, where it is farthest off</div>";
      }
      html_ += "<dl>";
      Fact("shortest edge", Percent(all.edges.min));
      Fact("longest edge", Percent(all.edges.max));
      Fact("mean edge, farthest off", Percent(all.edges.mean));
      if (all.area_ratio) Fact("area, farthest off", Percent(*all.area_ratio));
      if (all.volume_ratio && all.ring_radius_ratio) {
        Fact("volume, farthest off", Percent(*all.volume_ratio));
      }
      html_ += "</dl></div>\n";
    }
    for (const PairNumbers& pair : c_.all.pairs) {
      html_ += "<div class=\"card\"><h3>" + Method(pair.a) + " against " + Method(pair.b) +
               "</h3><div class=\"big\">" + Mm(pair.distance.max_mm) +
               "</div><div class=\"note\">largest distance</div><dl>";
      Fact("99 of 100 points within", Mm(pair.distance.p99_mm));
      Fact("root mean square", Mm(pair.distance.rms_mm));
      Fact("normals, at most", ShortNumber(pair.distance.normals_max_deg, 3) + "°");
      html_ += "</dl></div>\n";
    }
    html_ += "</div>\n";
  }
  void Fact(std::string_view name, const std::string& value) {
    html_ += "<dt>" + std::string(name) + "</dt><dd>" + value + "</dd>";
  }

  std::string Img(const Picture& picture, const std::string& alt) const {
    return "<img width=\"" + std::to_string(pictures_.width) + "\" height=\"" +
           std::to_string(pictures_.height) + "\" alt=\"" + EscapeHtml(alt) +
           "\" src=\"data:image/png;base64," + Base64(picture.png) + "\">";
  }

  // The worst frame, large: a slider between the first two methods, and where they differ.
  void Hero(const PictureRow& worst) {
    if (worst.methods.size() < 2) return;
    const std::string at = FrameName(worst.time.frame);
    html_ +=
        "<div class=\"hero\"><figure class=\"wipe\"><div class=\"pair\">" +
        Img(worst.methods[0], worst.methods[0].label + " at " + at) +
        Img(worst.methods[1], worst.methods[1].label + " at " + at) +
        "</div><figcaption><div class=\"ends\"><span class=\"s0\">" + Method(0) +
        "</span><input type=\"range\" min=\"0\" max=\"100\" value=\"50\" aria-label=\"How much "
        "of " +
        Method(0) + " is shown\"><span class=\"s1\">" + Method(1) + "</span></div>" + at +
        ", where the methods are farthest apart</figcaption></figure><figure>" +
        Img(worst.heat[0], "distance " + worst.heat[0].label + " at " + at) +
        "<figcaption>distance " + EscapeHtml(worst.heat[0].label) + ", 0 to " +
        Mm(pictures_.heat_max_mm) + "</figcaption></figure></div>\n";
  }

  void Pictures() {
    if (pictures_.rows.empty()) return;
    html_ += "<h2>Pictures</h2>\n";
    Hero(pictures_.rows[pictures_.worst_row]);
    for (const PictureRow& row : pictures_.rows) {
      html_ +=
          "<div class=\"row\" style=\"--n:" + std::to_string(row.methods.size() + row.heat.size()) +
          "\"><h3>" + FrameName(row.time.frame) + " <span class=\"note\">" +
          ShortNumber(row.time.seconds, 4) + " s</span></h3>";
      for (std::size_t m = 0; m < row.methods.size(); ++m) {
        html_ += "<figure>" +
                 Img(row.methods[m], row.methods[m].label + " at " + FrameName(row.time.frame)) +
                 "<figcaption class=\"" + ColorClass(m) + "\"><span class=\"swatch\"></span>" +
                 EscapeHtml(row.methods[m].label) + "</figcaption></figure>";
      }
      for (const Picture& heat : row.heat) {
        html_ += "<figure>" +
                 Img(heat, "distance " + heat.label + " at " + FrameName(row.time.frame)) +
                 "<figcaption>distance " + EscapeHtml(heat.label) + ", 0 to " +
                 Mm(pictures_.heat_max_mm) + "</figcaption></figure>";
      }
      html_ += "</div>\n";
    }
  }

  PlotSeries NewSeries(const std::string& name, std::size_t color) const {
    PlotSeries series;
    series.name = name;
    series.color = static_cast<int>(color % 6);
    for (const FrameNumbers& frame : c_.frames) series.x.push_back(frame.time.frame);
    return series;
  }

  template <class Value>
  void MethodPlot(std::string title, const std::string& note, std::optional<double> reference,
                  const Value& value) {
    Plot plot{std::move(title), "frame", "ratio to rest", {}, reference, false};
    for (std::size_t m = 0; m < c_.methods.size(); ++m) {
      PlotSeries series = NewSeries(c_.methods[m], m);
      for (const FrameNumbers& frame : c_.frames) {
        series.y.push_back(
            value(frame.shapes[m]).value_or(std::numeric_limits<double>::quiet_NaN()));
      }
      plot.series.push_back(std::move(series));
    }
    PutPlot(plot, note);
  }
  void PutPlot(const Plot& plot, const std::string& note) {
    html_ += "<figure><h3>" + EscapeHtml(plot.title) + "</h3>" + PlotLegend(plot) + PlotSvg(plot) +
             "<p class=\"note\">" + note + "</p></figure>\n";
  }

  void Plots() {
    if (c_.frames.size() < 2) return;
    html_ += "<h2>Over the frames</h2>\n<div class=\"plots\">\n";
    if (!c_.all.pairs.empty()) {
      Plot plot{"Distance between methods", "frame", "mm", {}, std::nullopt, true};
      for (std::size_t p = 0; p < c_.all.pairs.size(); ++p) {
        const PairNumbers& pair = c_.all.pairs[p];
        const std::string name = c_.methods[pair.a] + " - " + c_.methods[pair.b];
        PlotSeries largest = NewSeries(name, p);
        PlotSeries rms = NewSeries("", p);
        rms.dashed = true;
        for (const FrameNumbers& frame : c_.frames) {
          largest.y.push_back(frame.pairs[p].distance.max_mm);
          rms.y.push_back(frame.pairs[p].distance.rms_mm);
        }
        plot.series.push_back(std::move(largest));
        plot.series.push_back(std::move(rms));
      }
      PutPlot(plot,
              "Between the same vertex of both results. Solid: largest. Dashed: root mean square.");
    }
    MethodPlot("Mean edge length", "Over all edges, as each triangle lists them.", 1.0,
               [](const ShapeNumbers& n) { return std::optional<double>(n.edges.mean); });
    Plot edges{"Longest and shortest edge", "frame", "ratio to rest", {}, 1.0, false};
    for (std::size_t m = 0; m < c_.methods.size(); ++m) {
      PlotSeries longest = NewSeries(c_.methods[m], m);
      PlotSeries shortest = NewSeries("", m);
      shortest.dashed = true;
      for (const FrameNumbers& frame : c_.frames) {
        longest.y.push_back(frame.shapes[m].edges.max);
        shortest.y.push_back(frame.shapes[m].edges.min);
      }
      edges.series.push_back(std::move(longest));
      edges.series.push_back(std::move(shortest));
    }
    PutPlot(edges, "Solid: longest. Dashed: shortest.");
    if (c_.all.shapes.front().ring_radius_ratio) {
      MethodPlot("Ring radius",
                 "Smallest distance of the ring’s " + std::to_string(c_.ring_vertices) +
                     " vertices from the axis.",
                 1.0, [](const ShapeNumbers& n) { return n.ring_radius_ratio; });
    }
    if (c_.all.shapes.front().volume_ratio) {
      MethodPlot("Volume", "Enclosed by the triangles; exact for closed surfaces.", 1.0,
                 [](const ShapeNumbers& n) { return n.volume_ratio; });
    }
    html_ += "</div>\n";
  }

  void Tables() {
    html_ +=
        "<h2>Numbers</h2>\n<div class=\"scroll\"><table><thead><tr><th class=\"name\">method"
        "</th><th>mean edge</th><th>shortest</th><th>longest</th><th>area</th><th>volume</th>"
        "<th>ring radius</th><th>non-rigid joints</th><th>degenerate</th>"
        "<th>singular normals</th></tr></thead><tbody>\n";
    for (std::size_t m = 0; m < c_.methods.size(); ++m) {
      const ShapeNumbers& all = c_.all.shapes[m];
      html_ += "<tr><td class=\"name " + ColorClass(m) + "\">" + Method(m) + "</td>";
      Cells({Ratio(all.edges.mean), Ratio(all.edges.min), Ratio(all.edges.max),
             OrDash(all.area_ratio), OrDash(all.volume_ratio), OrDash(all.ring_radius_ratio),
             std::to_string(all.report.non_rigid_joints),
             std::to_string(all.report.degenerate_joints),
             std::to_string(all.report.singular_normal_matrices)});
    }
    html_ +=
        "</tbody></table></div>\n<p class=\"note\">Ratios of the deformed shape to the rest "
        "pose. Mean edge, area and volume are those of the frame where they are farthest from "
        "1; shortest, longest and ring radius are the extremes of any frame.</p>\n";
    PerFrame();
  }

  void PerFrame() {
    html_ +=
        "<details><summary>Every frame</summary><div class=\"scroll\"><table><thead><tr>"
        "<th>frame</th><th>seconds</th>";
    for (std::size_t m = 0; m < c_.methods.size(); ++m) {
      html_ += "<th>" + Method(m) + " mean edge</th><th>" + Method(m) + " volume</th>";
    }
    for (const PairNumbers& pair : c_.all.pairs) {
      const std::string name = Method(pair.a) + " - " + Method(pair.b);
      html_ += "<th>" + name + " max mm</th><th>" + name + " rms mm</th>";
    }
    html_ += "</tr></thead><tbody>\n";
    for (const FrameNumbers& frame : c_.frames) {
      std::vector<std::string> cells{ShortNumber(frame.time.frame, 7),
                                     ShortNumber(frame.time.seconds, 5)};
      for (const ShapeNumbers& shape : frame.shapes) {
        cells.push_back(Ratio(shape.edges.mean));
        cells.push_back(OrDash(shape.volume_ratio));
      }
      for (const PairNumbers& pair : frame.pairs) {
        cells.push_back(ShortNumber(pair.distance.max_mm));
        cells.push_back(ShortNumber(pair.distance.rms_mm));
      }
      html_ += "<tr>";
      Cells(cells);
    }
    html_ += "</tbody></table></div></details>\n";
  }
  void Cells(const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) html_ += "<td>" + cell + "</td>";
    html_ += "</tr>\n";
  }

  void Foot() {
    // In JSON '<' stands in strings only, and escaped it cannot end or open an element.
    const std::string json = Replaced(ComparisonJson(c_), "<", "\\u003c");
    html_ += "<footer>Made by " + EscapeHtml(tool_) + ", backend " +
             std::string(deform::BackendName(c_.backend.kind)) +
             (c_.backend.simd_target.empty() ? "" : " " + EscapeHtml(c_.backend.simd_target)) +
             ". The page holds all its numbers as JSON in the element “numbers”." +
             (c_.file.empty() ? "" : " Source: " + EscapeHtml(c_.file) + ".") +
             "</footer>\n</main>\n<script type=\"application/json\" id=\"numbers\">" + json +
             "</script>\n<script>";
    html_ += PageScript();
    html_ += "</script>\n</body>\n</html>\n";
  }

  const Comparison& c_;
  const ComparePictures& pictures_;
  const std::string& tool_;
  std::string html_;
};

}  // namespace

std::string ComparePage(const Comparison& comparison, const ComparePictures& pictures,
                        const std::string& tool) {
  return Page(comparison, pictures, tool).Build();
}

}  // namespace flexor::bake
