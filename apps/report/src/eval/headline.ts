import type { EvalReport, EvalResults } from "../data";
import { h, muted } from "../dom";
import { count, milliseconds, number, percent, plural } from "../format";
import { tile } from "../slam/headline";
import { ascending, mean, quantile, unique } from "../stats";
import { known, methodsOf, rightOf } from "./columns";

function ofResults(report: EvalReport, results: EvalResults): HTMLElement[] {
  const first = methodsOf(report, results)[0];
  if (!first || first.rows.length === 0) return [];
  const { rows, name } = first;
  const right = rows.filter((row) => results.right[row]);
  const accepted = rows.filter((row) => results.accepted[row]);
  const wrong = accepted.length - rightOf(results, accepted);
  const times = ascending(known(results.total_ms, rows));
  const pairs = unique(results.pair).length;
  return [
    tile(`Right, ${name}`, percent(right.length, rows.length), `${count(right.length)} of ${plural(rows.length, "pair")}`),
    tile(
      "Error of the right ones",
      `${number(100 * mean(known(results.error_m, right)))} cm`,
      `and ${number(mean(known(results.error_deg, right)))}° on average`,
    ),
    tile("Accepted, but wrong", count(wrong), `of ${plural(accepted.length, "accepted pair")}`, wrong === 0),
    tile(
      "Time for a pair",
      times.length ? milliseconds(mean(times)) : "–",
      times.length ? `mean; 95 % take at most ${milliseconds(quantile(times, 0.95))}` : "no times were taken",
    ),
    tile("Compared", plural(report.methods.length, "method"), `on ${plural(pairs, "pair")}`),
  ];
}

function ofPlanes(report: EvalReport): HTMLElement[] {
  return (report.planes ?? []).map((plane) =>
    tile(plane.descriptor, `F1 ${number(plane.f1, 3)}`, `average precision ${number(plane.average_precision, 3)}`),
  );
}

export function headline(report: EvalReport): HTMLElement {
  const tiles = report.results ? ofResults(report, report.results) : ofPlanes(report);
  const { metres, degrees } = report.right;
  return h(
    "section",
    { id: "summary", class: "summary" },
    tiles.length ? h("div", { class: "tiles" }, ...tiles) : muted("There are no results in this run."),
    report.results && muted(`Right means: within ${metres} m and ${degrees}° of the truth.`),
  );
}
