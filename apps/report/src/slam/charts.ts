import { bars, legend, rates, stacked } from "../charts/bars";
import { lineChart } from "../charts/lines";
import type { Rate, SlamReport } from "../data";
import { h, muted, section } from "../dom";
import { count, number, percent, plural, seconds, words } from "../format";
import { seriesColor } from "../palette";
import { largest, sum } from "../stats";

export function errorOverTime(report: SlamReport): HTMLElement {
  const before = report.error_odometry_m;
  const after = report.error_corrected_m;
  const title = "Error over time";
  const sentence = "How far each frame is from the truth, each trajectory laid on it as a whole as for the ATE.";
  if (!before || !after) return section("error", title, sentence, muted("This needs ground truth, which this run has not."));
  const start = report.times_s[0] ?? 0;
  const x = report.times_s.map((time) => time - start);
  const frameAt = new Map(x.map((time, k) => [time, report.frame_ids[k] ?? k]));
  return section(
    "error",
    title,
    sentence,
    lineChart({
      title: "Distance from the truth",
      series: [
        { label: "odometry", color: "odometry", x, y: before },
        { label: "corrected", color: "corrected", x, y: after },
      ],
      x: { label: "time [s]", text: (time) => `frame ${frameAt.get(time) ?? "–"}, ${number(time, 1)} s` },
      y: { label: "[m]", text: (value) => `${number(value)} m` },
    }),
  );
}

export function successByBin(report: SlamReport): HTMLElement {
  const title = "Which registrations succeed";
  const sentence =
    "Part of all candidates whose registration is right, by how far apart, how much turned and how alike the scans truly are.";
  const found = report.metrics.loops.registrations;
  if (!found) return section("success", title, sentence, muted("This needs ground truth, which this run has not."));
  const panel = (name: string, kinds: Rate[]) =>
    h(
      "div",
      { class: "panel" },
      h("h3", {}, name),
      rates(kinds.map(({ kind, right, tried }) => ({ label: kind, part: right, whole: tried }))),
    );
  return section(
    "success",
    title,
    sentence,
    h(
      "div",
      { class: "panels three" },
      panel("True distance", found.by_distance),
      panel("True rotation", found.by_rotation),
      panel("True overlap", found.by_overlap),
    ),
  );
}

export function refusals(report: SlamReport): HTMLElement {
  const { loops } = report.metrics;
  const reasons = Object.entries(loops.refused).sort(([, a], [, b]) => b - a);
  const most = largest(reasons.map(([, n]) => n), 1);
  const all = sum(reasons.map(([, n]) => n));
  if (loops.tried === 0) return section("refused", "Why candidates were refused", "No candidate for a loop was tried.");
  return section(
    "refused",
    "Why candidates were refused",
    `Of ${plural(loops.tried, "candidate")} ${count(loops.accepted)} became ${loops.accepted === 1 ? "a loop" : "loops"}; the others were refused for these reasons.`,
    reasons.length === 0
      ? muted("No candidate was refused.")
      : h(
          "div",
          { class: "panel" },
          bars(
            reasons.map(([reason, n]) => ({
              label: reason,
              part: n / most,
              text: `${count(n)}  (${percent(n, all)})`,
              color: "refused",
            })),
          ),
        ),
  );
}

export function stageTimes(report: SlamReport): HTMLElement {
  const stages = Object.entries(report.metrics.times_ms);
  const all = sum(stages.map(([, ms]) => ms));
  const shares = stages.map(([stage, ms]) => ({
    label: words(stage),
    value: ms,
    text: seconds(ms / 1000),
  }));
  return section(
    "time",
    "Where the time went",
    `${seconds(report.seconds)} for ${plural(report.metrics.frames, "frame")}, ${number(report.metrics.frames / report.seconds)} a second; ${number(report.metrics.peak_memory_gb)} GB of memory at most.`,
    all > 0
      ? h(
          "div",
          { class: "panel" },
          stacked(shares),
          legend(
            shares.map(({ label, value, text }, k) => ({
              label,
              color: seriesColor(k),
              text: `${text}  (${percent(value, all)})`,
            })),
          ),
        )
      : muted("No times were taken."),
  );
}
