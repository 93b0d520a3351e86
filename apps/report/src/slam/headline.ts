import type { SlamReport } from "../data";
import { h, muted } from "../dom";
import { count, number, percentage, plural, seconds } from "../format";

export function tile(name: string, value: string, more: string, good?: boolean): HTMLElement {
  return h(
    "div",
    { class: good ? "tile good" : "tile" },
    h("span", { class: "tile-name" }, name),
    h("span", { class: "tile-value" }, value),
    h("span", { class: "tile-more" }, more),
  );
}

function accuracy({ metrics: { odometry: before, corrected: after } }: SlamReport): HTMLElement {
  if (!before || !after) return tile("Trajectory error", "unknown", "there is no ground truth to compare with");
  const values = `${number(before.ate_rmse_m)} → ${number(after.ate_rmse_m)} m`;
  const better = after.ate_rmse_m <= before.ate_rmse_m;
  return tile("ATE, before → after", values, "root mean square distance from the truth", better);
}

function judgement({ metrics: { loops, ground_truth } }: SlamReport): HTMLElement[] {
  if (!ground_truth)
    return [
      tile(
        "Consistency",
        loops.accepted ? number(loops.median_chi2) : "–",
        "median χ² of loops; at most 5.3 is expected",
      ),
      tile("Precision, recall", "unknown", "whether a loop is right needs ground truth"),
    ];
  const wrong = loops.wrong ?? 0;
  const say = `${wrong ? count(wrong) : "none"} of the accepted loops ${wrong === 1 ? "is" : "are"} wrong`;
  const closed = `${count(loops.closed_revisits ?? 0)} of ${plural(loops.revisits ?? 0, "revisit")} closed`;
  return [
    tile("Precision", percentage(loops.precision_percent), say, wrong === 0 && loops.accepted > 0),
    tile("Recall", percentage(loops.recall_percent), closed),
  ];
}

export function headline(report: SlamReport): HTMLElement {
  const m = report.metrics;
  const { tried, accepted } = m.loops;
  const refused = tried ? `${plural(tried - accepted, "candidate")} of ${count(tried)} refused` : "no candidate was tried";
  const tiles = [
    accuracy(report),
    tile("Loops accepted", count(accepted), refused),
    ...judgement(report),
    tile("Time", seconds(report.seconds), `${number(m.frames / report.seconds)} frames a second (Hz)`),
    tile("Path", `${count(m.path_m)} m`, `${plural(m.frames, "frame")}, ${plural(m.keyframes, "keyframe")}`),
  ];
  const lost = m.odometry_lost_frames;
  return h(
    "section",
    { id: "summary", class: "summary" },
    ...report.warnings.map((text) => h("p", { class: "warning" }, text)),
    h("div", { class: "tiles" }, ...tiles),
    !m.ground_truth &&
      muted(
        "Without ground truth nobody can say how far the trajectory is off, nor which loops are right. " +
          "What can be known is whether the loops agree with each other and with odometry.",
      ),
    lost > 0 && h("p", { class: "warning" }, `Odometry was lost in ${plural(lost, "frame")}.`),
    errorTable(report),
  );
}

function errorTable({ metrics: { odometry: before, corrected: after } }: SlamReport): HTMLElement | null {
  if (!before || !after) return null;
  const rows: [string, number | null, number | null][] = [
    ["ATE, best alignment [m]", before.ate_rmse_m, after.ate_rmse_m],
    ["ATE, first pose aligned [m]", before.ate_rmse_first_pose_m, after.ate_rmse_first_pose_m],
    ["Lateral, best alignment [m]", before.lateral_rmse_m, after.lateral_rmse_m],
    ["Yaw, best alignment [deg]", before.yaw_rmse_deg, after.yaw_rmse_deg],
    ["End point [m]", before.end_point_m, after.end_point_m],
    ["RPE, translation [m]", before.rpe_translation_m, after.rpe_translation_m],
    ["RPE, rotation [deg]", before.rpe_rotation_deg, after.rpe_rotation_deg],
    ["t_rel [%]", before.t_rel_percent, after.t_rel_percent],
    ["r_rel [deg/100 m]", before.r_rel_deg_per_100m, after.r_rel_deg_per_100m],
  ];
  const cell = (value: number | null) => h("td", {}, number(value));
  return h(
    "details",
    {},
    h("summary", {}, "All trajectory errors"),
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, h("th", {}), h("th", {}, "odometry"), h("th", {}, "with loops"))),
      h(
        "tbody",
        {},
        ...rows
          .filter(([, a, b]) => a !== null || b !== null)
          .map(([name, a, b]) => h("tr", {}, h("th", { scope: "row" }, name), cell(a), cell(b))),
      ),
    ),
  );
}
