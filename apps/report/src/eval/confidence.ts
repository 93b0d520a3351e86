import { lineChart, type Series } from "../charts/lines";
import type { CurvePoint, EvalReport, EvalResults, PlaneScores } from "../data";
import { h, muted, section } from "../dom";
import { seriesColor, seriesDash } from "../palette";
import { methodsOf } from "./columns";
import { inOrder, precisionRecall, reliability } from "./curves";

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
    "Every estimate states the probability that it is right. On the left estimates are ranked by it: precision should stay high until nearly all pairs are found. On the right the stated probability is compared with what became of it: dots on the diagonal are honest, above it they are cautious.";
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

export function planes(scores: PlaneScores[]): HTMLElement {
  const series = (of: (score: PlaneScores) => CurvePoint[], dots: boolean) =>
    scores.map((score, k): Series => ({
      label: score.descriptor,
      color: seriesColor(k),
      dash: seriesDash(k),
      dots,
      ...inOrder(of(score)),
    }));
  return section(
    "planes",
    "Matching of planes",
    "How well each descriptor finds the same plane in both scans, as the limit on its distance or on its confidence changes.",
    curves(
      series((score) => score.precision_recall, false),
      series((score) => score.confidence, true),
      "confidence",
    ),
  );
}
