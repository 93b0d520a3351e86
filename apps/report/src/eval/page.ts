import type { EvalReport } from "../data";
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
    headline(report),
    ...tables(report.tables),
    ...(found
      ? [
          success(report, found),
          errors(report, found),
          confidence(report, found),
          gallery(report, found),
          runtime(report),
        ]
      : []),
    ...(report.planes ? [planes(report.planes)] : []),
  ];
}
