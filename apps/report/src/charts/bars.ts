import { h } from "../dom";
import { number, percent } from "../format";
import { seriesColor } from "../palette";
import { sum } from "../stats";

export interface Bar {
  label: string;
  /** Of the whole width, 0 to 1. */
  part: number;
  /** Behind the bar. */
  text: string;
  color?: string;
  title?: string;
}

/** A name, a bar and its number in each line. A line without a label belongs to the one above. */
export function bars(lines: Bar[]): HTMLElement {
  const list = h("div", { class: "bars", role: "list" });
  for (const [k, { label, part, text, color = "accent", title }] of lines.entries()) {
    const apart = k > 0 && label !== "" && lines[k - 1]!.label === "" ? " apart" : "";
    const width = Math.min(100, Math.max(0, 100 * (part || 0)));
    list.append(
      h("span", { class: `name${apart}`, title: label }, label),
      h(
        "span",
        { class: `track${apart}`, title, role: "listitem", "aria-label": `${title ?? label}: ${text}` },
        h("span", { class: "bar", style: `width: ${width.toFixed(2)}%; background: var(--${color})` }),
      ),
      h("span", { class: `value${apart}` }, text),
    );
  }
  return list;
}

export interface Count {
  label: string;
  part: number;
  whole: number;
}
/** Part of a whole that is right, with both counts. */
export function rates(counts: Count[], color?: string): HTMLElement {
  return bars(
    counts.map(({ label, part, whole }) => ({
      label,
      part: whole ? part / whole : 0,
      text: whole ? `${percent(part, whole)}  (${number(part, 0)} of ${number(whole, 0)})` : "none",
      color,
    })),
  );
}

export interface Share {
  label: string;
  value: number;
  /** What the legend says of it. */
  text: string;
}
/** One bar of many parts, `scale` of the width long. */
export function stacked(shares: Share[], scale = 1): HTMLElement {
  const all = sum(shares.map((share) => share.value));
  const bar = h("div", { class: "stacked" });
  shares.forEach(({ label, value, text }, k) => {
    if (!(value > 0)) return;
    const part = value / all;
    const style = `width: ${(100 * part * scale).toFixed(3)}%; background: var(--${seriesColor(k)})`;
    const title = `${label}: ${text} (${percent(value, all)})`;
    bar.append(h("span", { style, title, role: "img", "aria-label": title }));
  });
  return bar;
}

export interface Key {
  label: string;
  color: string;
  text?: string;
  dash?: boolean;
  line?: boolean;
}
export function legend(keys: Key[]): HTMLElement {
  return h(
    "ul",
    { class: "legend" },
    ...keys.map(({ label, color, text, dash, line }) =>
      h(
        "li",
        {},
        line
          ? h("i", { class: "stroke", style: `border-top: 3px ${dash ? "dashed" : "solid"} var(--${color})` })
          : h("i", { class: "key", style: `background: var(--${color})` }),
        h("span", {}, label),
        text !== undefined && h("span", { class: "value" }, text),
      ),
    ),
  );
}
