import { lineChart, type Series } from "../charts/lines";
import type { CurvePoint, EvalReport, EvalResults, PlaneScores } from "../data";
import { h, muted, section } from "../dom";
import { number } from "../format";
import { seriesColor, seriesDash } from "../palette";
import type { Curve } from "../stats";
import { methodsOf } from "./columns";

/** Estimates ranked by confidence: what part is right (y) if enough are taken to find the part x of all pairs. */
export function precisionRecall(results: EvalResults, rows: number[]): Curve {
  const ranked = rows
    .filter((row) => results.estimated[row])
    .sort((a, b) => results.confidence[b]! - results.confidence[a]!);
  const curve: Curve = { x: [], y: [] };
  let right = 0;
  ranked.forEach((row, k) => {
    if (results.right[row]) ++right;
    const next = ranked[k + 1];
    if (next !== undefined && results.confidence[next] === results.confidence[row]) return; // taken together
    if (right / rows.length === curve.x.at(-1)) return; // more estimates, but no more right ones
    curve.x.push(right / rows.length);
    curve.y.push(right / (k + 1));
  });
  return curve;
}

const binCount = 10;
/** Part of the estimates that are right, in bins of confidence; empty bins are left out. */
export function reliability(results: EvalResults, rows: number[]): Curve & { counts: number[] } {
  const tally = Array.from({ length: binCount }, () => ({ all: 0, right: 0 }));
  for (const row of rows) {
    if (!results.estimated[row]) continue;
    const bin = tally[Math.min(binCount - 1, Math.max(0, Math.floor(binCount * results.confidence[row]!)))]!;
    ++bin.all;
    if (results.right[row]) ++bin.right;
  }
  const used = tally.map((bin, k) => ({ ...bin, x: (k + 0.5) / binCount })).filter(({ all }) => all > 0);
  return { x: used.map(({ x }) => x), y: used.map(({ right, all }) => right / all), counts: used.map(({ all }) => all) };
}

const unit: [number, number] = [0, 1.02];

function curves(recall: Series[], trust: Series[], xName: string): HTMLElement {
  return h(
    "div",
    { class: "panels two" },
    lineChart({
      title: "Precision and recall",
      series: recall,
      x: { label: "recall", range: [0, 1.02] },
      y: { label: "precision", range: unit },
    }),
    lineChart({
      title: "Success against confidence",
      series: trust,
      x: { label: xName, range: [0, 1.02] },
      y: { label: "part that is right", range: unit },
    }),
  );
}

export function confidence(report: EvalReport, results: EvalResults): HTMLElement {
  const title = "Does the confidence tell right from wrong?";
  const sentence =
    "Estimates are ranked by their confidence (agreement⁸ × overlap): a good one keeps precision high until nearly all pairs are found.";
  const methods = methodsOf(report, results).filter(({ rows }) => rows.some((row) => results.confidence[row]! > 0));
  if (methods.length === 0) return section("confidence", title, sentence, muted("No method of this run gives a confidence."));
  return section(
    "confidence",
    title,
    sentence,
    curves(
      methods.map(({ name, color, dash, rows }) => ({ label: name, color, dash, ...precisionRecall(results, rows) })),
      methods.map(({ name, color, dash, rows }) => ({ label: name, color, dash, dots: true, ...reliability(results, rows) })),
      "confidence, in ten bins",
    ),
  );
}

/** By x, one point for each: of several the highest. */
function inOrder(points: CurvePoint[]): Curve {
  const highest = new Map<number, number>();
  for (const { x, y } of points) highest.set(x, Math.max(y, highest.get(x) ?? 0));
  const sorted = [...highest].sort(([a], [b]) => a - b);
  return { x: sorted.map(([x]) => x), y: sorted.map(([, y]) => y) };
}

export function planes(scores: PlaneScores[]): HTMLElement {
  const series = (of: (score: PlaneScores) => CurvePoint[], dots: boolean) =>
    scores.map((score, k): Series => ({
      label: score.descriptor,
      color: seriesColor(k),
      dash: seriesDash(k),
      dots,
      ...inOrder(of(score)),
    }));
  const columns: [string, (score: PlaneScores) => number, number][] = [
    ["F1", ({ f1 }) => f1, 3],
    ["average precision", (score) => score.average_precision, 3],
    ["precision", ({ precision }) => precision, 3],
    ["recall", ({ recall }) => recall, 3],
    ["true positives, mean", (score) => score.mean_true_positives, 1],
  ];
  const rows = scores.map((score) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, score.descriptor),
      ...columns.map(([, value, digits]) => h("td", {}, number(value(score), digits))),
    ),
  );
  return section(
    "planes",
    "Matching of planes",
    "How well each descriptor finds the same plane in both scans, as the limit on its distance or on its confidence changes.",
    h(
      "div",
      { class: "panel wide-table" },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, h("th", {}, "descriptor"), ...columns.map(([name]) => h("th", {}, name)))),
        h("tbody", {}, ...rows),
      ),
    ),
    curves(
      series((score) => score.precision_recall, false),
      series((score) => score.confidence, true),
      "confidence",
    ),
  );
}
