import { lineChart, type Series } from "../charts/lines";
import type { EvalReport, EvalResults } from "../data";
import { h, section } from "../dom";
import { percentage } from "../format";
import { ecdf, largest, smallest } from "../stats";
import { known, methodsOf } from "./columns";

function errorChart(
  report: EvalReport,
  results: EvalResults,
  column: (number | null)[],
  title: string,
  unit: string,
  limit: number,
): HTMLElement {
  const methods = methodsOf(report, results);
  const all = methods.flatMap(({ rows }) => known(column, rows)).filter((value) => value > 0);
  const low = Math.max(limit / 1000, smallest(all, limit / 10));
  const high = largest(all, limit * 2) * 1.1;
  const series = methods.map(({ name, color, dash, rows }): Series => {
    const curve = ecdf(known(column, rows).map((value) => Math.max(value, low)), rows.length);
    return { label: name, color, dash, step: true, x: [low, ...curve.x], y: [0, ...curve.y] };
  });
  // A curve may begin at the limit of the drawing: the first place then has one value, the later.
  for (const { x, y } of series) if (x[1] === x[0]) x.shift(), y.shift();
  return lineChart({
    title,
    series: [
      ...series,
      { label: `limit of right, ${limit} ${unit}`, color: "muted", dash: [3, 3], width: 1, x: [limit, limit * 1.0001], y: [0, 1] },
    ],
    x: { label: `error [${unit}]`, log: true, range: [low, high] },
    y: { label: "part of all pairs with a smaller error", range: [0, 1.02], text: (value) => percentage(100 * value) },
  });
}

export function errors(report: EvalReport, results: EvalResults): HTMLElement {
  return section(
    "errors",
    "Errors",
    "How many of all pairs have an error below a limit: the higher and the further left a curve, the better; pairs without an estimate count as never.",
    h(
      "div",
      { class: "panels two" },
      errorChart(report, results, results.error_m, "Translation", "m", report.right.metres),
      errorChart(report, results, results.error_deg, "Rotation", "deg", report.right.degrees),
    ),
  );
}
