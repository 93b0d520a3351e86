import type { EvalReport } from "../data";
import { guarded } from "../dom";
import { confidence, planes } from "./confidence";
import { errors } from "./errors";
import { gallery } from "./gallery";
import { headline } from "./headline";
import { runtime } from "./runtime";
import { success } from "./success";
import { tables } from "./tables";

export function evalPage(report: EvalReport): HTMLElement[] {
  const { results } = report;
  const found = results && results.method.length > 0 ? results : null;
  return [
    guarded("summary", () => headline(report)),
    ...(report.tables.length ? [guarded("tables", () => tables(report.tables))] : []),
    ...(found
      ? [
          guarded("success", () => success(report, found)),
          guarded("errors", () => errors(report, found)),
          guarded("confidence", () => confidence(report, found)),
          guarded("gallery", () => gallery(report, found)),
          guarded("time", () => runtime(report)),
        ]
      : []),
    ...(report.planes ? [guarded("planes", () => planes(report.planes!))] : []),
  ];
}
