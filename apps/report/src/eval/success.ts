import { bars, legend } from "../charts/bars";
import type { EvalReport, EvalResults } from "../data";
import { h, section } from "../dom";
import { count, percent } from "../format";
import { naturally, unique } from "../stats";
import { methodsOf, rightOf, type Method } from "./columns";

const fewMethods = 4; // more are told apart by rows of a table, not by colours

/** Rows of the results of a kind. */
type Pick = (rows: number[], kind: string) => number[];

/** For every kind one bar of each method. */
function grouped(kinds: string[], methods: Method[], results: EvalResults, pick: Pick): HTMLElement {
  return bars(
    kinds.flatMap((kind) =>
      methods.map((method, k) => {
        const rows = pick(method.rows, kind);
        const right = rightOf(results, rows);
        return {
          label: k === 0 ? kind || "all" : "",
          part: rows.length ? right / rows.length : 0,
          text: rows.length ? `${percent(right, rows.length)}  (${count(right)} of ${count(rows.length)})` : "none",
          color: method.color,
          title: `${method.name}, ${kind}`,
        };
      }),
    ),
  );
}

interface Line {
  name: string;
  color: string;
  rows: number[];
}
/** A line for each method or group, a column for each kind; the more is right, the fuller a cell. */
function matrix(lines: Line[], kinds: string[], results: EvalResults, pick: Pick): HTMLElement {
  const cell = ({ rows: all, color }: Line, kind: string) => {
    const rows = pick(all, kind);
    const right = rightOf(results, rows);
    const part = rows.length ? (100 * right) / rows.length : 0;
    const style = `--part: ${part.toFixed(1)}%; --method: var(--${color})`;
    return h("td", { class: "filled", style, title: `${right} of ${rows.length}` }, percent(right, rows.length));
  };
  const head = h("tr", {}, h("th", {}), ...kinds.map((kind) => h("th", {}, kind || "all")));
  const body = lines.map((line) =>
    h("tr", {}, h("th", { scope: "row" }, line.name || "all"), ...kinds.map((kind) => cell(line, kind))),
  );
  return h("table", { class: "matrix" }, h("thead", {}, head), h("tbody", {}, ...body));
}

export function success(report: EvalReport, results: EvalResults): HTMLElement {
  const methods = methodsOf(report, results);
  const few = methods.length <= fewMethods;
  const bins = naturally(unique(results.bin));
  const groups = naturally(unique(results.group));
  const inBin: Pick = (rows, bin) => rows.filter((row) => results.bin[row] === bin);
  const inGroup: Pick = (rows, group) => rows.filter((row) => results.group[row] === group);
  const panel = (title: string, content: HTMLElement) =>
    h("div", { class: "panel wide-table" }, h("h3", {}, title), content);
  const by = (kinds: string[], pick: Pick) =>
    few ? grouped(kinds, methods, results, pick) : matrix(methods, kinds, results, pick);
  const panels = [
    panel("All pairs", bars(methods.map((method) => overall(method, results)))),
    bins.length > 1 && panel("By bin", by(bins, inBin)),
    groups.length > 1 && panel("By group", by(groups, inGroup)),
  ];
  const ofGroups = (method: Method) =>
    groups.map((group) => ({ name: group, color: method.color, rows: inGroup(method.rows, group) }));
  const each = methods.map((method) => panel(method.name, matrix(ofGroups(method), bins, results, inBin)));
  return section(
    "success",
    "Success rate",
    "Part of the pairs that each method registers rightly, with the counts behind it.",
    few && methods.length > 1 && legend(methods.map(({ name, color }) => ({ label: name, color }))),
    h("div", { class: "columns" }, ...panels),
    bins.length > 1 &&
      groups.length > 1 &&
      h("details", {}, h("summary", {}, "Each group in each bin"), h("div", { class: "columns" }, ...each)),
  );
}

function overall({ name, color, rows }: Method, results: EvalResults) {
  const right = rightOf(results, rows);
  return {
    label: name,
    part: rows.length ? right / rows.length : 0,
    text: `${percent(right, rows.length)}  (${count(right)} of ${count(rows.length)})`,
    color,
  };
}
