import type { Table } from "../data";
import { h, section } from "../dom";

/** Equal neighbours share a heading. */
function headingRow(headings: string[]): HTMLElement {
  const row = h("tr");
  for (let k = 0; k < headings.length; ) {
    let end = k + 1;
    while (headings[k] !== "" && end < headings.length && headings[end] === headings[k]) ++end;
    row.append(h("th", { colspan: end - k, class: end - k > 1 ? "shared apart" : undefined }, headings[k]));
    k = end;
  }
  return row;
}

function drawn({ title, headings, rows }: Table): HTMLElement {
  const titled = headings[0] === "" && rows.length > 0;
  const [titles, body] = titled ? [rows[0]!, rows.slice(1)] : [null, rows];
  // Columns below one heading stand together.
  const apart = (k: number) => (titled && headings[k] !== headings[k - 1] ? "apart" : undefined);
  const line = ([name, ...cells]: string[]) =>
    h("tr", {}, h("th", { scope: "row" }, name), ...cells.map((text, k) => h("td", { class: apart(k + 1) }, text)));
  const titleRow = titles && h("tr", {}, ...titles.map((text, k) => h("th", { class: k > 0 && apart(k) }, text)));
  return h(
    "div",
    { class: "panel wide-table" },
    title !== "" && h("h3", {}, title),
    h(
      "table",
      { class: headings.length > 12 && "dense" },
      h("thead", {}, headingRow(headings), titleRow),
      h("tbody", {}, ...body.map(line)),
    ),
  );
}

export const tables = (all: Table[]): HTMLElement =>
  section("tables", "Tables", "The tables that the program printed.", ...all.map(drawn));
