import { bars, legend } from "../charts/bars";
import type { EvalReport, EvalResults } from "../data";
import { h, section } from "../dom";
import { percent } from "../format";
import { naturally, unique } from "../stats";
import { methodsOf, rightOf, type Method } from "./columns";

type Rows = (kind: string, method: Method) => number[];

/** For every kind one bar of each method. */
function grouped(title: string, kinds: string[], methods: Method[], results: EvalResults, rowsOf: Rows): HTMLElement {
  const list = kinds.flatMap((kind) =>
    methods.map((method, k) => {
      const rows = rowsOf(kind, method);
      const right = rightOf(results, rows);
      return {
        label: k === 0 ? kind : "",
        part: rows.length ? right / rows.length : 0,
        text: rows.length ? `${percent(right, rows.length)}  (${right} of ${rows.length})` : "none",
        color: method.color,
        title: `${method.name}, ${kind}`,
      };
    }),
  );
  return h("div", { class: methods.length > 1 ? "panel grouped" : "panel" }, h("h3", {}, title), bars(list));
}

/** Bins across, groups down, for one method; the more is right, the fuller a cell. */
function matrix(method: Method, bins: string[], groups: string[], results: EvalResults): HTMLElement {
  const cell = (bin: string, group: string) => {
    const rows = method.rows.filter((row) => results.bin[row] === bin && results.group[row] === group);
    const part = rows.length ? rightOf(results, rows) / rows.length : 0;
    const title = `${rightOf(results, rows)} of ${rows.length}`;
    const style = `--part: ${(100 * part).toFixed(1)}%; --method: var(--${method.color})`;
    return h("td", { class: "filled", style, title }, percent(rightOf(results, rows), rows.length));
  };
  const head = h("tr", {}, h("th", {}), ...bins.map((bin) => h("th", {}, bin || "all")));
  const body = groups.map((group) =>
    h("tr", {}, h("th", { scope: "row" }, group || "all"), ...bins.map((bin) => cell(bin, group))),
  );
  return h(
    "div",
    { class: "panel wide-table" },
    h("h3", {}, method.name),
    h("table", {}, h("thead", {}, head), h("tbody", {}, ...body)),
  );
}

export function success(report: EvalReport, results: EvalResults): HTMLElement {
  const methods = methodsOf(report, results);
  const bins = naturally(unique(results.bin));
  const groups = naturally(unique(results.group));
  const byBin: Rows = (bin, method) => method.rows.filter((row) => results.bin[row] === bin);
  const byGroup: Rows = (group, method) => method.rows.filter((row) => results.group[row] === group);
  const panels = [grouped("All pairs", ["all"], methods, results, (_, method) => method.rows)];
  if (bins.length > 1) panels.push(grouped("By bin", bins, methods, results, byBin));
  if (groups.length > 1) panels.push(grouped("By group", groups, methods, results, byGroup));
  const both = bins.length > 1 && groups.length > 1;
  return section(
    "success",
    "Success rate",
    "Part of the pairs that each method registers rightly, with the counts behind it.",
    methods.length > 1 && legend(methods.map(({ name, color }) => ({ label: name, color }))),
    h("div", { class: "columns" }, ...panels),
    both &&
      h(
        "details",
        {},
        h("summary", {}, "Each group in each bin"),
        h("div", { class: "panels two" }, ...methods.map((method) => matrix(method, bins, groups, results))),
      ),
  );
}
