import { legend } from "../charts/bars";
import { Plan, type Point } from "../charts/plan";
import type { SlamReport } from "../data";
import { h, section, svg, toggle } from "../dom";
import { number } from "../format";
import { cliqueColor, gradient } from "../palette";
import { onTheme } from "../theme";
import { cliqueSize, frameOf, isWrong, seenFrom, verdict } from "./loop_facts";
import { drawLoops, drawWays, projection, type DrawnLoop, type Projection } from "./plan_parts";
import type { Selection } from "./selection";

const hint = "Point at a loop for its numbers, click it to see its two scans. Drag to move; click, then the wheel zooms.";

const show = (element: SVGElement, on: boolean): void => {
  element.style.display = on ? "" : "none";
};

/** The trajectories and loops from above, where it is known what that is. */
class TopView {
  readonly plan: Plan;
  readonly told = h("p", { class: "told", "aria-live": "polite" }, hint);
  private readonly flat: Projection;
  private readonly ways: ReturnType<typeof drawWays>;
  private readonly loops: ReturnType<typeof drawLoops>;
  private readonly visible = { accepted: true, refused: false };

  constructor(
    private readonly report: SlamReport,
    selection: Selection,
  ) {
    this.flat = projection([report.corrected, report.odometry, report.truth ?? []]);
    this.plan = new Plan(this.flat.low, this.flat.high);
    this.ways = drawWays(report, this.flat);
    this.loops = drawLoops(report, this.flat);
    const start = this.flat.to(report.corrected, 0);
    const chosen = svg("g", { class: "chosen" });
    this.plan.drawing.setAttribute("aria-label", `Trajectories and loops ${seenFrom(report)}`);
    this.plan.drawing.append(this.ways.truth, this.ways.odometry, this.loops.refused, this.ways.corrected);
    this.plan.drawing.append(this.loops.accepted, chosen);
    this.plan.drawing.append(svg("path", { class: "start", d: `M${start.x} ${-start.y}h0` }));
    show(this.loops.refused, false);
    this.plan.onHover = (at) => this.hover(at);
    this.plan.onClick = (at) => {
      const found = this.nearestLoop(at);
      if (!found) return;
      selection.select(found.index);
      document.querySelector("#loops .stage")?.scrollIntoView({ block: "nearest" }); // where its scans are
    };
    selection.follow((index) => {
      const { a, b } = this.loops.drawn[index]!;
      this.plan.focus = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
      const ends = `M${a.x} ${-a.y}h0M${b.x} ${-b.y}h0`;
      const line = svg("path", { d: `M${a.x} ${-a.y}L${b.x} ${-b.y}` });
      chosen.replaceChildren(line, svg("path", { class: "dot", d: ends }));
    });
  }

  controls(): HTMLElement {
    const way = (name: "truth" | "odometry" | "corrected") => {
      const box = toggle(name, true, (on) => show(this.ways[name], on));
      box.append(h("i", { class: `stroke ${name}` }));
      return box;
    };
    const loops = (label: string, kind: "accepted" | "refused") =>
      toggle(label, this.visible[kind], (on) => {
        this.visible[kind] = on;
        show(this.loops[kind], on);
      });
    const ramp = h("i", { class: "ramp" });
    const paintRamp = () => (ramp.style.background = gradient(cliqueColor));
    paintRamp();
    onTheme(paintRamp);
    const wrong = this.report.loops.some(isWrong);
    const any = this.report.loops.length > 0;
    return h(
      "div",
      { class: "controls" },
      this.report.truth && way("truth"),
      way("odometry"),
      way("corrected"),
      any && loops("loops", "accepted"),
      any && h("span", { class: "scale" }, "0", ramp, `${number(this.loops.largestClique, 0)} clique members`),
      any && loops("refused candidates", "refused"),
      legend([{ label: "start", color: "good" }, ...(wrong ? [{ label: "wrong loop", color: "wrong" }] : [])]),
    );
  }

  private hover(at: Point | null): void {
    const loop = at && this.nearestLoop(at);
    const frame = at && !loop ? this.nearestFrame(at) : null;
    if (loop) this.told.textContent = describeLoop(this.report, loop);
    else this.told.textContent = frame === null ? hint : describeFrame(this.report, frame);
    this.plan.drawing.style.cursor = loop ? "pointer" : "";
  }

  private nearestLoop(at: Point): DrawnLoop | null {
    const shown = this.loops.drawn.filter(({ loop }) => this.visible[loop.accepted ? "accepted" : "refused"]);
    return nearest(shown, 10, (one) => this.plan.pixels(at, closestOnSegment(at, one.a, one.b)));
  }

  private nearestFrame(at: Point): number | null {
    const frames = Array.from({ length: Math.floor(this.report.corrected.length / 3) }, (_, k) => k);
    return nearest(frames, 12, (k) => this.plan.pixels(at, this.flat.to(this.report.corrected, k)));
  }
}

/** The one with the least distance, if that is below the limit. */
function nearest<T>(all: T[], limit: number, distance: (one: T) => number): T | null {
  let best: T | null = null;
  let least = limit;
  for (const one of all) {
    const pixels = distance(one);
    if (pixels < least) [best, least] = [one, pixels];
  }
  return best;
}

function closestOnSegment(p: Point, a: Point, b: Point): Point {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const t = Math.min(1, Math.max(0, ((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy || 1)));
  return { x: a.x + t * dx, y: a.y + t * dy };
}

function describeLoop(report: SlamReport, { loop }: DrawnLoop): string {
  const parts = [`frames ${frameOf(report, loop.from)} and ${frameOf(report, loop.to)}`, verdict(loop)];
  if (loop.registered) parts.push(`clique of ${loop.clique_points ?? 0} points and ${loop.clique_planes ?? 0} planes`);
  if (loop.overlap !== undefined) parts.push(`overlap ${number(100 * loop.overlap, 0)} %`);
  if (loop.error_m !== undefined) parts.push(`error ${number(loop.error_m)} m, ${number(loop.error_deg)}°`);
  if (cliqueSize(loop) === 0) parts.push(`expected ${number(loop.expected_distance_m)} m apart`);
  return parts.join("; ");
}

function describeFrame(report: SlamReport, k: number): string {
  const seconds = (report.times_s[k] ?? 0) - (report.times_s[0] ?? 0);
  const parts = [`frame ${report.frame_ids[k] ?? k}`, `${number(seconds, 1)} s`];
  if (report.error_odometry_m && report.error_corrected_m) {
    parts.push(`${number(report.error_odometry_m[k])} m from the truth by odometry`);
    parts.push(`${number(report.error_corrected_m[k])} m with loops`);
  }
  return parts.join("; ");
}

export function topView(report: SlamReport, selection: Selection): HTMLElement {
  const view = new TopView(report, selection);
  return section(
    "trajectory",
    `Trajectory ${seenFrom(report)}`,
    "Where the sensor went, before and after loop closing, and the loops that corrected it.",
    view.controls(),
    view.plan.element,
    view.told,
  );
}
