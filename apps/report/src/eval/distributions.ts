import { legend, stacked } from "../charts/bars";
import { lineChart, type Series } from "../charts/lines";
import type { EvalReport, EvalResults } from "../data";
import { h, muted, section } from "../dom";
import { milliseconds, number, percentage } from "../format";
import { seriesColor } from "../palette";
import { ecdf, sum, unique } from "../stats";
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
  const low = Math.max(limit / 1000, Math.min(limit / 10, ...all));
  const high = Math.max(limit * 2, ...all) * 1.1;
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

export function runtime(report: EvalReport): HTMLElement {
  const sentence = "The mean time of each stage for a pair, features of both scans included.";
  if (report.stages.length === 0)
    return section("time", "Where the time goes", sentence, muted("No times were taken in this run."));
  const names = unique(report.stages.map(({ stage }) => stage));
  const ofMethod = report.methods.map((name, method) => ({
    name,
    shares: names.map((stage) => {
      const found = report.stages.find((one) => one.method === method && one.stage === stage);
      return { label: stage, value: found?.mean_ms ?? 0, text: milliseconds(found?.mean_ms ?? 0), found };
    }),
  }));
  const timed = ofMethod.filter(({ shares }) => shares.some(({ found }) => found));
  const total = (shares: { value: number }[]) => sum(shares.map(({ value }) => value));
  const longest = Math.max(...timed.map(({ shares }) => total(shares)));
  const detail = (found: (typeof timed)[0]["shares"][0]["found"]) =>
    found ? [found.mean_ms, found.median_ms, found.p95_ms].map((ms) => h("td", {}, number(ms, 1))) : [];
  const table = (name: string, shares: (typeof timed)[0]["shares"]) =>
    h(
      "div",
      { class: "panel wide-table" },
      h("h3", {}, name),
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ...["stage", "mean [ms]", "median", "95 %"].map((text) => h("th", {}, text)))),
        h(
          "tbody",
          {},
          ...shares
            .filter(({ found }) => found)
            .map(({ label, found }) => h("tr", {}, h("th", { scope: "row" }, label), ...detail(found))),
        ),
      ),
    );
  return section(
    "time",
    "Where the time goes",
    sentence,
    legend(names.map((label, k) => ({ label, color: seriesColor(k) }))),
    h(
      "div",
      { class: "panel stacks" },
      ...timed.flatMap(({ name, shares }) => [
        h("span", { class: "name", title: name }, name),
        stacked(shares, total(shares) / longest),
        h("span", { class: "value" }, milliseconds(total(shares))),
      ]),
    ),
    h(
      "details",
      {},
      h("summary", {}, "Mean, median and 95 % of each stage"),
      h("div", { class: "panels two" }, ...timed.map(({ name, shares }) => table(name, shares))),
    ),
  );
}
