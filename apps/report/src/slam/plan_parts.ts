import type { Point } from "../charts/plan";
import type { Loop, Polyline, SlamReport } from "../data";
import { svg } from "../dom";
import { cliqueColor, css } from "../palette";
import { largest } from "../stats";
import { onTheme } from "../theme";
import { cliqueSize, isWrong, positionOf } from "./loop_facts";

export interface Projection {
  /** The k-th place of a line, from above. */
  to: (line: Polyline, k: number) => Point;
  low: Point;
  high: Point;
}

/** Everything is drawn turned by a right angle where that fits a wide page better. */
export function projection(lines: Polyline[]): Projection {
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

export function drawWays(report: SlamReport, flat: Projection) {
  const way = (line: Polyline, kind: string) => {
    const places = Array.from({ length: Math.floor(line.length / 3) }, (_, k) => flat.to(line, k));
    const d = places.map((p, k) => `${k ? "L" : "M"}${p.x.toFixed(2)} ${(-p.y).toFixed(2)}`).join("");
    return svg("path", { class: `way ${kind}`, d });
  };
  return {
    truth: way(report.truth ?? [], "truth"),
    odometry: way(report.odometry, "odometry"),
    corrected: way(report.corrected, "corrected"),
  };
}

export interface DrawnLoop {
  loop: Loop;
  index: number;
  a: Point;
  b: Point;
  mark: SVGElement;
}

/** A line for each loop, with a dot in its middle: many are too short to be seen without. */
export function drawLoops(report: SlamReport, flat: Projection) {
  const largestClique = largest(report.loops.map(cliqueSize), 1);
  const place = (keyframe: number) => flat.to(report.corrected, positionOf(report, keyframe));
  const drawn = report.loops.map((loop, index): DrawnLoop => {
    const [a, b] = [place(loop.from), place(loop.to)];
    const line = svg("path", { d: `M${a.x} ${-a.y}L${b.x} ${-b.y}` });
    const dot = svg("path", { class: "dot", d: `M${(a.x + b.x) / 2} ${-(a.y + b.y) / 2}h0` });
    const kind = loop.accepted ? (isWrong(loop) ? "loop wrong" : "loop") : "loop refused";
    return { loop, index, a, b, mark: svg("g", { class: kind }, line, dot) };
  });
  const marks = (keep: (loop: Loop) => boolean) => drawn.filter(({ loop }) => keep(loop)).map(({ mark }) => mark);
  const right = marks((loop) => loop.accepted && !isWrong(loop));
  const paint = () =>
    drawn.forEach(({ loop, mark }) => {
      if (loop.accepted) mark.style.stroke = css(cliqueColor(cliqueSize(loop) / largestClique));
    });
  paint();
  onTheme(paint);
  return {
    drawn,
    largestClique,
    accepted: svg("g", {}, ...right, ...marks(isWrong)), // wrong ones on top
    refused: svg("g", {}, ...marks((loop) => !loop.accepted)),
  };
}
