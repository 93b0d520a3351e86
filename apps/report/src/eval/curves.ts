import type { CurvePoint, EvalResults } from "../data";
import type { Curve } from "../stats";

/** Estimates ranked by confidence: what part is right (y) if enough are taken to find the part x of all pairs. */
export function precisionRecall(results: EvalResults, rows: number[]): Curve {
  const ranked = rows
    .filter((row) => results.estimated[row])
    .sort((a, b) => results.confidence[b]! - results.confidence[a]!);
  const curve: Curve = { x: [], y: [] };
  let right = 0;
  ranked.forEach((row, k) => {
    if (results.right[row]) ++right;
    const next = ranked[k + 1];
    if (next !== undefined && results.confidence[next] === results.confidence[row]) return; // taken together
    if (right / rows.length === curve.x.at(-1)) return; // more estimates, but no more right ones
    curve.x.push(right / rows.length);
    curve.y.push(right / (k + 1));
  });
  return curve;
}

const binCount = 10;
/**
 * Part of the estimates that are right, in bins of confidence; empty bins are left out. Degenerate ones too: the
 * confidence is that of an alignment that fixes all directions.
 */
export function reliability(results: EvalResults, rows: number[]): Curve {
  const tally = Array.from({ length: binCount }, () => ({ all: 0, right: 0 }));
  for (const row of rows) {
    if (!results.estimated[row] || results.status[row] === "degenerate") continue;
    const bin = tally[Math.min(binCount - 1, Math.max(0, Math.floor(binCount * results.confidence[row]!)))]!;
    ++bin.all;
    if (results.right[row]) ++bin.right;
  }
  const used = tally.map((bin, k) => ({ ...bin, x: (k + 0.5) / binCount })).filter(({ all }) => all > 0);
  return { x: used.map(({ x }) => x), y: used.map(({ right, all }) => right / all) };
}

/** By x, one point for each: of several the highest. */
export function inOrder(points: CurvePoint[]): Curve {
  const highest = new Map<number, number>();
  for (const { x, y } of points) highest.set(x, Math.max(y, highest.get(x) ?? 0));
  const sorted = [...highest].sort(([a], [b]) => a - b);
  return { x: sorted.map(([x]) => x), y: sorted.map(([, y]) => y) };
}
