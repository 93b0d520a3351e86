import { legend, stacked, type Share } from "../charts/bars";
import type { EvalReport, StageTime } from "../data";
import { h, muted, section } from "../dom";
import { milliseconds, number } from "../format";
import { seriesColor } from "../palette";
import { largest, sum, unique } from "../stats";

interface Timed {
  name: string;
  stages: StageTime[];
  total_ms: number;
}

const title = "Where the time goes";
const sentence = "The mean time of each stage for a pair, features of both scans included.";

export function runtime(report: EvalReport): HTMLElement {
  const names = unique(report.stages.map(({ stage }) => stage));
  const timed = report.methods.flatMap((name, method): Timed[] => {
    const stages = report.stages.filter((one) => one.method === method);
    return stages.length ? [{ name, stages, total_ms: sum(stages.map(({ mean_ms }) => mean_ms)) }] : [];
  });
  if (timed.length === 0) return section("time", title, sentence, muted("No times were taken in this run."));
  const longest = largest(timed.map(({ total_ms }) => total_ms));
  return section(
    "time",
    title,
    sentence,
    legend(names.map((label, k) => ({ label, color: seriesColor(k) }))),
    h("div", { class: "panel stacks" }, ...timed.flatMap((method) => stack(method, names, longest))),
    h(
      "details",
      {},
      h("summary", {}, "Mean, median and 95 % of each stage"),
      h("div", { class: "panels two" }, ...timed.map(table)),
    ),
  );
}

/** Stages of all methods have the same colours: one that a method has not is empty. */
function stack({ name, stages, total_ms }: Timed, names: string[], longest: number): HTMLElement[] {
  const shares = names.map((stage): Share => {
    const value = stages.find((one) => one.stage === stage)?.mean_ms ?? 0;
    return { label: stage, value, text: milliseconds(value) };
  });
  return [
    h("span", { class: "name", title: name }, name),
    stacked(shares, total_ms / longest),
    h("span", { class: "value" }, milliseconds(total_ms)),
  ];
}

function table({ name, stages }: Timed): HTMLElement {
  const row = ({ stage, mean_ms, median_ms, p95_ms }: StageTime) => {
    const cells = [mean_ms, median_ms, p95_ms].map((ms) => h("td", {}, number(ms, 1)));
    return h("tr", {}, h("th", { scope: "row" }, stage), ...cells);
  };
  const head = ["stage", "mean [ms]", "median", "95 %"].map((text) => h("th", {}, text));
  return h(
    "div",
    { class: "panel wide-table" },
    h("h3", {}, name),
    h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...stages.map(row))),
  );
}
