import { legend } from "../charts/bars";
import { Plan, type Point } from "../charts/plan";
import type { Loop, Polyline, SlamReport } from "../data";
import { h, section, svg, toggle } from "../dom";
import { number } from "../format";
import { cliqueColor, css, gradient } from "../palette";
import { onTheme } from "../theme";
import { cliqueSize, frameOf, isWrong, positionOf, verdict } from "./loop_facts";
import type { Selection } from "./selection";

/** Everything is drawn turned by a right angle where that fits a wide page better. */
function projection(lines: Polyline[]): { to: (line: Polyline, k: number) => Point; low: Point; high: Point } {
  const low = { x: Infinity, y: Infinity };
  const high = { x: -Infinity, y: -Infinity };
  for (const line of lines)
    for (let k = 0; k + 2 < line.length; k += 3) {
      low.x = Math.min(low.x, line[k]!);
      high.x = Math.max(high.x, line[k]!);
      low.y = Math.min(low.y, line[k + 1]!);
      high.y = Math.max(high.y, line[k + 1]!);
    }
  if (!Number.isFinite(low.x)) return { to: () => ({ x: 0, y: 0 }), low: { x: -1, y: -1 }, high: { x: 1, y: 1 } };
  const turned = high.y - low.y > 1.2 * (high.x - low.x);
  const turn = (x: number, y: number): Point => (turned ? { x: y, y: -x } : { x, y });
  return {
    to: (line, k) => turn(line[3 * k] ?? 0, line[3 * k + 1] ?? 0),
    low: turned ? { x: low.y, y: -high.x } : low,
    high: turned ? { x: high.y, y: -low.x } : high,
  };
}

interface Drawn {
  loop: Loop;
  index: number;
  a: Point;
  b: Point;
  mark: SVGElement;
}

function distanceToSegment(p: Point, a: Point, b: Point): Point {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const t = Math.min(1, Math.max(0, ((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy || 1)));
  return { x: a.x + t * dx, y: a.y + t * dy };
}

export function topView(report: SlamReport, selection: Selection): HTMLElement {
  const { to, low, high } = projection([report.corrected, report.odometry, report.truth ?? []]);
  const plan = new Plan(low, high);
  const path = (line: Polyline, kind: string) => {
    const places = Array.from({ length: Math.floor(line.length / 3) }, (_, k) => to(line, k));
    const d = places.map((p, k) => `${k ? "L" : "M"}${p.x.toFixed(2)} ${(-p.y).toFixed(2)}`).join("");
    return svg("path", { class: `way ${kind}`, d });
  };
  const ways = {
    truth: path(report.truth ?? [], "truth"),
    odometry: path(report.odometry, "odometry"),
    corrected: path(report.corrected, "corrected"),
  };
  const largest = Math.max(1, ...report.loops.map(cliqueSize));
  const layers = { refused: svg("g", { class: "refused" }), accepted: svg("g") };
  const drawn = report.loops.map((loop, index): Drawn => {
    const [a, b] = [loop.from, loop.to].map((keyframe) => to(report.corrected, positionOf(report, keyframe)));
    const d = `M${a!.x} ${-a!.y}L${b!.x} ${-b!.y}`;
    const dot = `M${(a!.x + b!.x) / 2} ${-(a!.y + b!.y) / 2}h0`;
    const kind = loop.accepted ? (isWrong(loop) ? "loop wrong" : "loop") : "loop refused";
    const mark = svg("g", { class: kind }, svg("path", { d }), svg("path", { class: "dot", d: dot }));
    layers[loop.accepted ? "accepted" : "refused"].append(mark);
    return { loop, index, a: a!, b: b!, mark };
  });
  const paintLoops = () =>
    drawn.forEach(({ loop, mark }) => {
      if (loop.accepted) mark.style.stroke = css(cliqueColor(cliqueSize(loop) / largest));
    });
  paintLoops();
  onTheme(paintLoops);

  const chosen = svg("g", { class: "chosen" });
  const start = to(report.corrected, 0);
  plan.drawing.append(ways.truth, ways.odometry, layers.refused, ways.corrected, layers.accepted, chosen);
  plan.drawing.append(svg("path", { class: "start", d: `M${start.x} ${-start.y}h0` }));
  plan.drawing.setAttribute("aria-label", "Trajectories and loops from above");

  const visible = { accepted: true, refused: false };
  layers.refused.style.display = "none";
  const nearest = (at: Point): Drawn | null => {
    let best: Drawn | null = null;
    let bestPixels = 10;
    for (const one of drawn) {
      if (!visible[one.loop.accepted ? "accepted" : "refused"]) continue;
      const pixels = plan.pixels(at, distanceToSegment(at, one.a, one.b));
      if (pixels < bestPixels) [best, bestPixels] = [one, pixels];
    }
    return best;
  };
  const nearestFrame = (at: Point): number | null => {
    let best: number | null = null;
    let bestPixels = 12;
    for (let k = 0; 3 * k < report.corrected.length; ++k) {
      const pixels = plan.pixels(at, to(report.corrected, k));
      if (pixels < bestPixels) [best, bestPixels] = [k, pixels];
    }
    return best;
  };
  const told = h("p", { class: "told", "aria-live": "polite" });
  const hint = "Point at a loop for its numbers, click it to see its two scans. Drag to move; click, then the wheel zooms.";
  told.textContent = hint;
  plan.onHover = (at) => {
    const found = at && nearest(at);
    const frame = at && !found ? nearestFrame(at) : null;
    told.textContent = found ? describe(report, found) : frame !== null ? describeFrame(report, frame) : hint;
    plan.drawing.style.cursor = found ? "pointer" : "";
  };
  plan.onClick = (at) => {
    const found = nearest(at);
    if (found) selection.select(found.index);
  };
  selection.follow((index) => {
    const { a, b } = drawn[index]!;
    const d = `M${a.x} ${-a.y}L${b.x} ${-b.y}`;
    const ends = `M${a.x} ${-a.y}h0M${b.x} ${-b.y}h0`;
    chosen.replaceChildren(svg("path", { d }), svg("path", { class: "dot", d: ends }));
  });

  const show = (element: SVGElement, on: boolean) => (element.style.display = on ? "" : "none");
  const showLoops = (kind: "accepted" | "refused", on: boolean) => {
    visible[kind] = on;
    show(layers[kind], on);
  };
  const keyed = (name: "truth" | "odometry" | "corrected", label: string) => {
    const box = toggle(label, true, (on) => show(ways[name], on));
    box.append(h("i", { class: `stroke ${name}` }));
    return box;
  };
  const scaleKey = h("i", { class: "ramp" });
  const paintScale = () => (scaleKey.style.background = gradient(cliqueColor));
  paintScale();
  onTheme(paintScale);
  const wrong = report.loops.some(isWrong);
  const controls = h(
    "div",
    { class: "controls" },
    report.truth && keyed("truth", "truth"),
    keyed("odometry", "odometry"),
    keyed("corrected", "corrected"),
    toggle("loops", true, (on) => showLoops("accepted", on)),
    toggle("refused candidates", false, (on) => showLoops("refused", on)),
    h("span", { class: "scale" }, "clique members 0", scaleKey, number(largest, 0)),
    wrong && legend([{ label: "wrong loop", color: "wrong" }]),
  );
  return section(
    "trajectory",
    "Trajectory from above",
    "Where the sensor went, before and after loop closing, and the loops that corrected it.",
    controls,
    plan.element,
    told,
  );
}

function describe(report: SlamReport, { loop }: Drawn): string {
  const parts = [`frames ${frameOf(report, loop.from)} and ${frameOf(report, loop.to)}`, verdict(loop)];
  if (loop.registered) {
    parts.push(`clique of ${loop.clique_points ?? 0} points and ${loop.clique_planes ?? 0} planes`);
    if (loop.overlap !== undefined) parts.push(`overlap ${number(100 * loop.overlap, 0)} %`);
  }
  if (loop.error_m !== undefined) parts.push(`error ${number(loop.error_m)} m, ${number(loop.error_deg)}°`);
  return parts.join("; ");
}

function describeFrame(report: SlamReport, k: number): string {
  const parts = [`frame ${report.frame_ids[k] ?? k}`, `${number((report.times_s[k] ?? 0) - (report.times_s[0] ?? 0), 1)} s`];
  if (report.error_odometry_m && report.error_corrected_m) {
    parts.push(`${number(report.error_odometry_m[k])} m from the truth by odometry`);
    parts.push(`${number(report.error_corrected_m[k])} m with loops`);
  }
  return parts.join("; ");
}
