import { bars } from "../charts/bars";
import { lineChart } from "../charts/lines";
import type { Loop, SlamReport } from "../data";
import { h, muted, section } from "../dom";
import { number, percent, plural, upperFirst } from "../format";
import { ascending, between, chi2Cdf6, chi2Limit95, ecdf, largest, mean, median, quantile } from "../stats";
import { cliqueSize, isWrong } from "./loop_facts";

interface Judged {
  size: number;
  value: number;
}

/** Loops in up to four groups of like size, smallest cliques first. */
function bySize(judged: Judged[]): { name: string; values: number[] }[] {
  const sizes = ascending(judged.map(({ size }) => size));
  const limits = [...new Set([0.25, 0.5, 0.75, 1].map((part) => quantile(sizes, part)))];
  return limits.map((limit, k) => {
    const low = k === 0 ? sizes[0]! : limits[k - 1]! + 1;
    const values = judged.filter(({ size }) => size >= low && size <= limit).map(({ value }) => value);
    return { name: low === limit ? `${limit}` : `${low} to ${limit}`, values };
  });
}

const withinLimit = (values: number[]) => values.filter((value) => value <= chi2Limit95).length;

export function calibration(report: SlamReport): HTMLElement {
  const truth = report.metrics.ground_truth;
  const valueOf = (loop: Loop) => (truth ? loop.nees : loop.chi2_final);
  const judged = report.loops.flatMap((loop): Judged[] => {
    const value = valueOf(loop);
    return loop.accepted && !isWrong(loop) && value != null ? [{ size: cliqueSize(loop), value }] : [];
  });
  const title = "Are the covariances honest?";
  const sentence = truth
    ? "The squared error of each right loop in units of its own covariance (NEES) should be spread as chi-square with 6 degrees of freedom: left of that curve a covariance is too large, right of it too small."
    : "There is no ground truth: instead of the error, each accepted loop's distance to the final trajectory in units of its covariance (χ²) is compared with chi-square of 6 degrees of freedom. As the trajectory was fitted to the loops, the curve should be on the left.";
  if (judged.length === 0) return section("calibration", title, sentence, muted("No loop was accepted."));
  const values = judged.map(({ value }) => value);
  const name = truth ? "NEES" : "χ² to the final trajectory";
  const range: [number, number] = [
    Math.min(0.3, Math.max(1e-3, quantile(ascending(values), 0.02))),
    Math.max(40, 1.2 * largest(values)),
  ];
  const ideal = between(range[0], range[1], 200, true);
  const curve = ecdf(values.map((value) => Math.max(value, range[0])));
  return section(
    "calibration",
    title,
    sentence,
    h(
      "div",
      { class: "panels two" },
      lineChart({
        title: `${name} of ${plural(values.length, "loop")}`,
        series: [
          { label: `${truth ? "ideal: " : ""}chi-square, 6 degrees of freedom`, color: "muted", dash: [6, 4], x: ideal, y: ideal.map(chi2Cdf6) },
          { label: truth ? "right loops" : "accepted loops", color: "corrected", step: true, x: [range[0], ...curve.x], y: [0, ...curve.y] },
        ],
        x: { label: name, log: true, range },
        y: { label: "part of loops below", range: [0, 1.02] },
      }),
      summary(judged, values, name, truth),
    ),
  );
}

function summary(judged: Judged[], values: number[], name: string, truth: boolean): HTMLElement {
  const expected = (value: number) => (truth ? `${value} is ideal` : `at most ${value} is expected`);
  return h(
    "div",
    { class: "panel" },
    h("h3", {}, `Mean ${name}: ${number(mean(values))}`),
    h("p", {}, `${upperFirst(expected(6))}. Median ${number(median(values))} (${expected(5.35)}).`),
    h("h3", {}, `Within the 95 % ellipsoid: ${percent(withinLimit(values), values.length)}`),
    h("p", {}, "By the size of the clique, points and planes together:"),
    bars(
      bySize(judged).map(({ name: size, values: some }) => ({
        label: `${size} members`,
        part: withinLimit(some) / some.length,
        text: `${percent(withinLimit(some), some.length)}  (mean ${number(mean(some))}, n = ${some.length})`,
        title: `${plural(some.length, "loop")} with ${size} members within the 95 % ellipsoid`,
      })),
    ),
  );
}
