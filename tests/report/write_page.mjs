// Puts a report into the page as apps/html_report.cpp does.
import { writeFileSync } from "node:fs";

export const placeholder = "__PARTE_REPORT_DATA__";

export function writePage(template, report, path) {
  const json = JSON.stringify(report).replaceAll("<", "\\u003c");
  writeFileSync(path, template.replace(placeholder, () => json));
}
