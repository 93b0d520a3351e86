import type { Loop, SlamReport } from "../data";
import { choice, h } from "../dom";
import { number, percentage, plural } from "../format";
import { cliqueSize, frameOf, hasScans, isWrong, verdict } from "./loop_facts";
import type { Selection } from "./selection";

const filters: Record<string, [text: string, keep: (report: SlamReport, loop: Loop) => boolean]> = {
  accepted: ["accepted", (_, loop) => loop.accepted],
  scans: ["with scans", hasScans],
  wrong: ["accepted, but wrong", (_, loop) => isWrong(loop)],
  missed: ["refused, but right", (_, loop) => !loop.accepted && loop.right === true],
  refused: ["refused", (_, loop) => !loop.accepted],
  all: ["all", () => true],
};

const orders: Record<string, [text: string, value: (loop: Loop) => number]> = {
  tried: ["as tried", () => 0],
  error: ["largest error", (loop) => -(loop.error_m ?? -1)],
  chi2: ["largest χ²", (loop) => -(loop.nees ?? loop.chi2_final ?? -1)],
  small: ["smallest clique", cliqueSize],
  overlap: ["smallest overlap", (loop) => loop.overlap ?? 2],
};

/** The candidates as a table of which one row is selected; arrow keys walk through it. */
export class LoopList {
  readonly element: HTMLElement;
  private readonly body = h("tbody");
  private readonly counted = h("span", { class: "muted" });
  private filter = "accepted";
  private order = "tried";
  private shown: number[] = [];

  constructor(
    private readonly report: SlamReport,
    private readonly selection: Selection,
  ) {
    const useful = Object.entries(filters).filter(([, [, keep]]) => report.loops.some((loop) => keep(report, loop)));
    this.filter = useful[0]?.[0] ?? "all";
    const orderNames = Object.entries(orders).filter(([name]) => name !== "error" || report.metrics.ground_truth);
    const texts = (entries: [string, [string, unknown]][]) =>
      entries.map(([name, [text]]) => [name, text] as [string, string]);
    const head = ["frames", "verdict", "clique", "overlap", ...(report.metrics.ground_truth ? ["error [m]"] : [])];
    this.element = h(
      "div",
      { class: "loop-list" },
      h(
        "div",
        { class: "controls" },
        choice("Show", texts(useful), (name) => this.list((this.filter = name), this.order)),
        choice("by", texts(orderNames), (name) => this.list(this.filter, (this.order = name))),
        this.counted,
      ),
      h(
        "div",
        { class: "scroll", tabindex: 0, "aria-label": "Candidates; arrow keys choose one", onkeydown: (event) => this.key(event as KeyboardEvent) },
        h("table", {}, h("thead", {}, h("tr", {}, ...head.map((name) => h("th", {}, name)))), this.body),
      ),
    );
    this.list(this.filter, this.order);
    selection.follow((loop) => this.mark(loop));
  }

  get first(): number | undefined {
    return this.shown.find((k) => hasScans(this.report, this.report.loops[k]!)) ?? this.shown[0];
  }

  /** The next or the one before of those shown. */
  step(by: number): void {
    if (this.shown.length === 0) return;
    const at = this.shown.indexOf(this.selection.loop);
    const next = at < 0 ? 0 : (at + by + this.shown.length) % this.shown.length;
    this.selection.select(this.shown[next]!);
  }

  private list(filter: string, order: string): void {
    const { loops } = this.report;
    const keep = filters[filter]![1];
    const value = orders[order]![1];
    this.shown = loops.map((_, k) => k).filter((k) => keep(this.report, loops[k]!));
    this.shown.sort((a, b) => value(loops[a]!) - value(loops[b]!) || a - b);
    this.body.replaceChildren(...this.shown.map((k) => this.row(k)));
    this.counted.textContent = plural(this.shown.length, "candidate");
    this.mark(this.selection.loop);
  }

  private row(k: number): HTMLElement {
    const loop = this.report.loops[k]!;
    const cells = [
      `${frameOf(this.report, loop.from)} – ${frameOf(this.report, loop.to)}`,
      loop.accepted ? (isWrong(loop) ? "wrong" : "accepted") : loop.reason,
      loop.registered ? `${loop.clique_points ?? 0} + ${loop.clique_planes ?? 0}` : "–",
      loop.overlap === undefined ? "–" : percentage(100 * loop.overlap),
      ...(this.report.metrics.ground_truth ? [number(loop.error_m)] : []),
    ];
    return h(
      "tr",
      { "data-loop": k, class: isWrong(loop) ? "wrong" : undefined, title: verdict(loop), onclick: () => this.selection.select(k) },
      ...cells.map((text) => h("td", {}, text)),
    );
  }

  private mark(loop: number): void {
    this.body.querySelector("[aria-selected]")?.removeAttribute("aria-selected");
    const row = this.body.querySelector<HTMLElement>(`[data-loop="${loop}"]`);
    row?.setAttribute("aria-selected", "true");
    const box = this.body.parentElement?.parentElement;
    if (!row || !box) return;
    const hidden = row.offsetTop < box.scrollTop + 30 || row.offsetTop + 30 > box.scrollTop + box.clientHeight;
    if (hidden) box.scrollTop = row.offsetTop - box.clientHeight / 2;
  }

  private key(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    this.step(by);
  }
}
