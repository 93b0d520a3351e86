import type { EvalReport, EvalResults } from "../data";
import { seriesColor, seriesDash } from "../palette";

export interface Method {
  name: string;
  color: string;
  dash?: number[];
  /** Positions of its results in the columns. */
  rows: number[];
}

export function methodsOf(report: EvalReport, results: EvalResults): Method[] {
  const methods = report.methods.map((name, k): Method => ({ name, color: seriesColor(k), dash: seriesDash(k), rows: [] }));
  results.method.forEach((method, row) => methods[method]?.rows.push(row));
  return methods;
}

export const rightOf = (results: EvalResults, rows: number[]): number => rows.filter((row) => results.right[row]).length;

export const known = (column: (number | null)[], rows: number[]): number[] =>
  rows.map((row) => column[row] ?? null).filter((value) => value !== null);
