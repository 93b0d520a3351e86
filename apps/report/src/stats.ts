export const ascending = (values: number[]): number[] => [...values].sort((a, b) => a - b);
export const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
export const mean = (values: number[]): number => (values.length ? sum(values) / values.length : NaN);

// Math.max(...values) has no room for more than some 100,000 values.
export const largest = (values: number[], atLeast = -Infinity): number =>
  values.reduce((most, value) => Math.max(most, value), atLeast);
export const smallest = (values: number[], atMost = Infinity): number =>
  values.reduce((least, value) => Math.min(least, value), atMost);

/** Of an even number the mean of the two in the middle, as in metrics.json. */
export function median(values: number[]): number {
  const sorted = ascending(values);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

export function quantile(sorted: ArrayLike<number>, part: number): number {
  if (sorted.length === 0) return NaN;
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(part * sorted.length) - 1))]!;
}

export interface Curve {
  x: number[];
  y: number[];
}

/** Part of `total` values that are at most x; total counts those too that have no value. */
export function ecdf(values: number[], total = values.length): Curve {
  const sorted = ascending(values);
  const curve: Curve = { x: [], y: [] };
  sorted.forEach((x, k) => {
    if (sorted[k + 1] === x) return;
    curve.x.push(x);
    curve.y.push((k + 1) / total);
  });
  return curve;
}

/** Of the chi-square distribution with 6 degrees of freedom. */
export const chi2Cdf6 = (x: number): number => 1 - Math.exp(-x / 2) * (1 + x / 2 + (x * x) / 8);
/** 95 % of values drawn from it are below. */
export const chi2Limit95 = 12.5916;

export const between = (from: number, to: number, steps: number, log = false): number[] =>
  Array.from({ length: steps + 1 }, (_, k) =>
    log ? from * (to / from) ** (k / steps) : from + ((to - from) * k) / steps,
  );

export const unique = <T>(values: Iterable<T>): T[] => [...new Set(values)];

/** "0-10 m" before "10-20 m" before "100-200 m". */
export const naturally = (values: string[]): string[] =>
  [...values].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
