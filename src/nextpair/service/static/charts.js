// Small SVG charts: an interval as a bar, and the accuracy against the money.
import { draw } from "./api.js";

// Scores may be shares or logarithms, so the rail goes from the lowest end of an interval to the highest.
export function intervalBar({ score, low, high }, [least, most]) {
  const x = (value) => 8 + (184 * (value - least)) / Math.max(most - least, 1e-300);
  const words = `${score.toPrecision(3)}, between ${low.toPrecision(3)} and ${high.toPrecision(3)}`;
  return draw("svg", { class: "chart", viewBox: "0 0 200 18", role: "img", "aria-label": words },
    draw("line", { class: "rail", x1: 8, x2: 192, y1: 9, y2: 9 }),
    draw("line", { class: "interval", x1: x(low), x2: Math.max(x(high), x(low) + 0.1), y1: 9, y2: 9 }),
    draw("circle", { class: "point", cx: x(score), cy: 9, r: 4 }));
}

export function gainBar(share) {
  return draw("svg", { class: "chart gain-bar", viewBox: "0 0 200 12", role: "presentation" },
    draw("line", { class: "rail", x1: 6, x2: 194, y1: 6, y2: 6 }),
    draw("line", { class: "interval", x1: 6, x2: 6 + 188 * Math.max(share, 0.001), y1: 6, y2: 6 }));
}

export function curveChart(curve, { budget, target_accuracy: target }, { at_budget: end }, money) {
  const width = 460, height = 210, left = 44, right = 14, top = 14, bottom = 30;
  const last = curve[curve.length - 1];
  const furthest = Math.max(budget ?? last.spent, last.spent, 1e-9);
  const lowest = Math.min(0.5, ...curve.map((point) => point.expected_accuracy));
  const x = (spent) => left + ((width - left - right) * spent) / furthest;
  const y = (accuracy) => top + ((height - top - bottom) * (1 - accuracy)) / (1 - lowest);
  const path = curve.map((point, k) => `${k ? "L" : "M"}${x(point.spent).toFixed(1)},${y(point.expected_accuracy).toFixed(1)}`).join("");
  const words = `Expected accuracy ${(100 * last.expected_accuracy).toFixed(1)} % after ${money(last.spent)}`;
  const svg = draw("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words });
  const label = (text, at, line, anchor) => svg.append(draw("text", { x: at, y: line, "text-anchor": anchor }, text));
  for (const tick of [1, (1 + lowest) / 2, lowest]) {
    svg.append(draw("line", { class: "rail", x1: left, x2: width - right, y1: y(tick), y2: y(tick), "stroke-opacity": 0.6 }));
    label(`${(100 * tick).toFixed(0)} %`, left - 6, y(tick) + 4, "end");
  }
  svg.append(draw("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }));
  label("0", left, height - 10, "middle");
  label(money(furthest), width - right, height - 10, "end");
  if (target) svg.append(draw("line", { class: "goal", x1: left, x2: width - right, y1: y(target), y2: y(target) }));
  svg.append(draw("path", { class: "line", d: path }));
  if (end !== null && budget !== null) {
    svg.append(draw("path", { class: "dashed", d: `M${x(last.spent)},${y(last.expected_accuracy)}L${x(budget)},${y(end)}` }));
  }
  svg.append(draw("circle", { class: "point", cx: x(last.spent), cy: y(last.expected_accuracy), r: 4.5 }));
  return svg;
}
