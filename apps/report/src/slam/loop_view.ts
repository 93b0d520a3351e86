import type { Loop, SlamReport } from "../data";
import { button, h, muted, section, whenNear } from "../dom";
import { PairView } from "../view/pair_view";
import { facts, frameOf, hasScans, isWrong, verdict } from "./loop_facts";
import { LoopList } from "./loop_list";
import type { Selection } from "./selection";

const sentence =
  "The two scans of a loop as odometry lays them on each other and as registration does, with what made it decide.";

/** The loop that is selected: its scans before and after, and its numbers. */
export function loopView(report: SlamReport, selection: Selection): HTMLElement {
  const heading = "Loops, one by one";
  if (report.loops.length === 0)
    return section("loops", heading, sentence, muted("No candidate for a loop was tried in this run."));
  const list = new LoopList(report, selection);
  const pair = new PairView(
    { target: "earlier scan", source: "later scan", above: report.upright ? "From above" : "Along z of the earlier scan" },
    true,
  );
  const title = h("h3", { "aria-live": "polite" });
  const numbers = h("div", { class: "facts" });
  const previous = button("‹ Previous", () => list.step(-1), "Previous loop");
  const next = button("Next ›", () => list.step(1), "Next loop");
  const stage = h("div", { class: "stage" }, h("div", { class: "stage-head" }, title, previous, next), pair.element);
  const element = section(
    "loops",
    heading,
    sentence,
    h("div", { class: "inspector" }, stage, list.element),
    numbers,
  );
  let near = false;
  const draw = () => near && show(report, report.loops[selection.loop]!, selection.loop, pair);
  selection.follow((index) => {
    const loop = report.loops[index]!;
    title.replaceChildren(`Frames ${frameOf(report, loop.from)} and ${frameOf(report, loop.to)} `, badge(loop));
    numbers.replaceChildren(...factTables(loop));
    draw();
  });
  whenNear(element, () => {
    near = true;
    draw();
  });
  selection.select(list.first ?? 0);
  return element;
}

function badge(loop: Loop): HTMLElement {
  const kind = isWrong(loop) ? "wrong" : loop.accepted ? "accepted" : "";
  return h("span", { class: `badge ${kind}` }, verdict(loop));
}

function show(report: SlamReport, loop: Loop, index: number, pair: PairView): void {
  if (!hasScans(report, loop)) {
    pair.clear(
      loop.registered
        ? "The scans of this loop were left out to keep the page small."
        : `There is no registration to look at: ${loop.reason}. Of such candidates only some have their scans here.`,
    );
    return;
  }
  void pair.show(
    {
      target: report.scans[loop.from]!,
      source: report.scans[loop.to]!,
      poses: [
        { name: "before: by odometry", T_target_source: loop.T_odometry },
        {
          name: "after: registered",
          T_target_source: loop.T_from_to ?? null,
          missing: loop.reason,
        },
      ],
      detail: loop.detail,
    },
    String(index),
  );
}

function factTables(loop: Loop): HTMLElement[] {
  return facts(loop).flatMap(([group, lines]) => {
    const known = lines.filter(([, value]) => value !== undefined);
    if (known.length === 0) return [];
    const entries = known.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value!)]);
    return [h("div", {}, h("h4", {}, group), h("dl", {}, ...entries))];
  });
}
