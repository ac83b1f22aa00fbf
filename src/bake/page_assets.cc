#include "bake/page_assets.h"

namespace flexor::bake {

std::string_view PageStyle() {
  return R"css(
:root {
  color-scheme: light dark;
  --paper: #fbfbfa; --card: #ffffff; --ink: #1d2129; --soft: #5b6472; --rule: #dfe2e7;
  --s0: #2563c9; --s1: #d9590b; --s2: #15803d; --s3: #8b3fc7; --s4: #b4456e; --s5: #0f7c86;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171c; --card: #1c2027; --ink: #e7e9ed; --soft: #9aa4b2; --rule: #333a45;
    --s0: #6ea4ff; --s1: #ff9a52; --s2: #5fcf86; --s3: #c590f5; --s4: #f08bb0; --s5: #4fc3cf;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main { max-width: 1180px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 40px 0 10px; }
p { margin: 6px 0; max-width: 75ch; }
.facts, .note { color: var(--soft); font-size: .9rem; }
.lead { font-size: 1.08rem; margin-top: 16px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(250px, 1fr)); gap: 14px; margin-top: 18px; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 14px 18px; min-width: 0; }
.card h3 { margin: 0; font-size: .95rem; font-weight: 600; }
.card .big { font-size: 1.9rem; font-weight: 650; line-height: 1.25; }
.card dl { display: grid; grid-template-columns: 1fr auto; gap: 2px 12px; margin: 8px 0 0; font-size: .9rem; }
.card dt { color: var(--soft); } .card dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; }
.swatch { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 7px; background: currentColor; }
.row { display: grid; gap: 12px; margin: 10px 0 26px; grid-template-columns: repeat(min(var(--n), 6), minmax(0, 1fr)); }
@media (max-width: 760px) { .row { grid-template-columns: repeat(min(var(--n), 2), minmax(0, 1fr)); } }
.row h3 { grid-column: 1 / -1; margin: 0; font-size: .98rem; }
figure { margin: 0; background: var(--card); border: 1px solid var(--rule); border-radius: 10px; overflow: hidden; }
figure img { display: block; width: 100%; height: auto; }
figcaption { padding: 7px 12px; font-size: .9rem; border-top: 1px solid var(--rule); }
.hero { display: grid; gap: 14px; margin: 10px 0 26px; grid-template-columns: repeat(auto-fit, minmax(min(400px, 100%), 1fr)); }
.wipe .pair { position: relative; display: grid; grid-template-columns: 1fr 1fr; }
.wipe.live .pair { display: block; }
.wipe.live .pair img + img { position: absolute; inset: 0; clip-path: inset(0 0 0 var(--at, 50%)); }
.wipe.live .pair::after {
  content: ""; position: absolute; top: 0; bottom: 0; left: var(--at, 50%); width: 2px; margin-left: -1px;
  background: var(--ink); opacity: .7; pointer-events: none;
}
.wipe .ends { display: none; justify-content: space-between; gap: 10px; align-items: center; }
.wipe.live .ends { display: flex; }
.wipe .ends input { flex: 1; accent-color: var(--s0); }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); gap: 14px; }
.plots figure { padding: 12px 14px 4px; }
.plots h3 { margin: 0 0 4px; font-size: .98rem; }
.plot { display: block; width: 100%; height: auto; }
.plot text { fill: var(--soft); font: 12px system-ui, sans-serif; }
.plot .grid { stroke: var(--rule); } .plot .ref { stroke: var(--soft); stroke-dasharray: 2 4; }
.plot .line { fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linejoin: round; }
.plot .dashed { stroke-dasharray: 6 4; } .plot .dot { fill: currentColor; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 0 0 4px; font-size: .85rem; }
.legend i { display: inline-block; width: 18px; height: 0; margin-right: 6px; vertical-align: middle; border-top: 2.5px solid; }
.s0 { color: var(--s0); } .s1 { color: var(--s1); } .s2 { color: var(--s2); }
.s3 { color: var(--s3); } .s4 { color: var(--s4); } .s5 { color: var(--s5); }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--rule); border-radius: 10px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 6px 11px; text-align: right; white-space: nowrap; }
th { font-weight: 600; border-bottom: 1px solid var(--rule); }
tr + tr td { border-top: 1px solid var(--rule); }
th.name, td.name { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 7em; }
details { margin-top: 14px; } summary { cursor: pointer; padding: 4px 0; font-weight: 600; }
footer { margin-top: 40px; color: var(--soft); font-size: .85rem; }
a { color: var(--s0); }
@media print { body { background: #fff; } figure, .card { break-inside: avoid; } }
)css";
}

std::string_view PageScript() {
  return R"js(
document.querySelectorAll('.wipe').forEach(function (box) {
  var slider = box.querySelector('input');
  var pair = box.querySelector('.pair');
  function place() { pair.style.setProperty('--at', slider.value + '%'); }
  slider.addEventListener('input', place);
  pair.addEventListener('pointermove', function (event) {
    if (event.pointerType === 'touch' && event.buttons === 0) return;
    var area = pair.getBoundingClientRect();
    slider.value = 100 * (event.clientX - area.left) / area.width;
    place();
  });
  box.classList.add('live');
  place();
});
)js";
}

}  // namespace flexor::bake
