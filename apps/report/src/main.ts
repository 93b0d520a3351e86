import "uplot/dist/uPlot.min.css";
import type { Report } from "./data";
import { button, h, section } from "./dom";
import { evalPage } from "./eval/page";
import { upperFirst } from "./format";
import { slamPage } from "./slam/page";
import "./style.css";
import { onPrint, startThemes, switchTheme } from "./theme";

function readReport(): Report | null {
  try {
    return JSON.parse(document.getElementById("report-data")!.textContent!) as Report;
  } catch {
    return null;
  }
}

/** Text that the reader may want to take along. */
function copyable(id: string, title: string, sentence: string, text: string): HTMLElement {
  const copy = button("Copy", () => {
    const range = document.createRange();
    range.selectNodeContents(pre);
    getSelection()!.removeAllRanges();
    getSelection()!.addRange(range);
    document.execCommand("copy"); // the newer way does not work from file:// everywhere
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = "Copy"), 1500);
  });
  const pre = h("pre", {}, text);
  return section(id, title, sentence, h("details", {}, h("summary", {}, "Show"), copy, pre));
}

function settings(report: Report): HTMLElement[] {
  const used =
    report.kind === "slam"
      ? copyable("settings", "Settings", "What this run used; saved as a file, --config reads it again.", report.config)
      : copyable("settings", "Settings", "What this run used (run.json).", JSON.stringify(report.run, null, 2));
  const notes = section(
    "notes",
    "Notes",
    "What to know when reading this page.",
    h("ul", {}, ...report.notes.map((note) => h("li", {}, note))),
  );
  return report.notes.length ? [notes, used] : [used];
}

function header(report: Report, sections: HTMLElement[]): HTMLElement {
  const links = sections.flatMap((part) => {
    const title = part.querySelector("h2")?.textContent;
    const name = upperFirst(part.id);
    return title ? [h("a", { href: `#${part.id}`, title }, name)] : [];
  });
  return h(
    "header",
    {},
    h(
      "div",
      { class: "head" },
      h(
        "div",
        {},
        h("h1", {}, report.title),
        report.kind === "eval" && h("p", { class: "lead" }, report.head),
        h("code", { class: "command", title: "The command that made this page" }, report.command),
      ),
      h(
        "div",
        { class: "corner" },
        h("span", { class: "muted" }, `${report.kind === "slam" ? "parte_slam" : "parte_eval"} ${report.version}`),
        button("◐", switchTheme, "Light or dark"),
      ),
    ),
    h("nav", { "aria-label": "Parts of this page" }, ...links),
  );
}

/** Paper cannot be clicked: the errors and the settings are printed even if they are folded away. */
function unfoldForPrint(page: HTMLElement): void {
  let folded: HTMLDetailsElement[] = [];
  onPrint((on) => {
    if (on) folded = [...page.querySelectorAll<HTMLDetailsElement>(":is(#summary, #settings) details:not([open])")];
    for (const part of folded) part.open = on;
  });
}

function main(): void {
  startThemes();
  const page = document.getElementById("page")!;
  const report = readReport();
  if (!report) {
    page.append(h("p", { class: "warning" }, "There is no data in this page: parte_slam and parte_eval put it there."));
    return;
  }
  document.title = `${report.title} – parte`;
  const parts = report.kind === "slam" ? slamPage(report) : evalPage(report);
  const all = [...parts, ...settings(report)];
  page.append(header(report, all), ...all);
  unfoldForPrint(page);
}

main();
