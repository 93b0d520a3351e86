import type { Loop, SlamReport } from "../data";
import { number, percentage } from "../format";

/** Members of the clique, points and planes; 0 where nothing was registered. */
export const cliqueSize = (loop: Loop): number => (loop.clique_points ?? 0) + (loop.clique_planes ?? 0);

export const isWrong = (loop: Loop): boolean => loop.accepted && loop.right === false;

/** Position of a keyframe among the frames, and the number of that frame in the data set. */
export const positionOf = (report: SlamReport, keyframe: number): number => report.keyframes[keyframe] ?? 0;
export const frameOf = (report: SlamReport, keyframe: number): number => {
  const position = positionOf(report, keyframe);
  return report.frame_ids[position] ?? position;
};

/** How z is seen from the end: only where it is up is that "above". */
export const seenFrom = ({ upright }: SlamReport): string => (upright ? "from above" : "along z of the first scan");

export function verdict(loop: Loop): string {
  if (!loop.accepted) return `refused: ${loop.reason}`;
  return isWrong(loop) ? "accepted, but wrong" : "accepted";
}

export const hasScans = (report: SlamReport, loop: Loop): boolean =>
  loop.from in report.scans && loop.to in report.scans;

const three = (values: [number, number, number] | undefined, unit: string) =>
  values && `${values.map((value) => number(value)).join(", ")} ${unit}`;
const metres = (value: number | undefined) => (value === undefined ? undefined : `${number(value)} m`);
const degrees = (value: number | undefined) => (value === undefined ? undefined : `${number(value)}°`);
const part = (value: number | undefined) => (value === undefined ? undefined : percentage(100 * value));

const foundBecause = { nearby: "nearby by odometry", "look-alike": "it looks alike", neighbour: "next to a loop" };

/** What is known of a loop, in groups of name and value. */
export function facts(loop: Loop): [group: string, lines: [name: string, value: string | undefined][]][] {
  return [
    [
      "Candidate",
      [
        ["found because", foundBecause[loop.kind]],
        ["expected distance", metres(loop.expected_distance_m)],
        ["time", `${number(loop.ms)} ms`],
      ],
    ],
    [
      "Registration",
      [
        ["clique", loop.registered ? `${loop.clique_points ?? 0} points, ${loop.clique_planes ?? 0} planes` : undefined],
        ["clique weight", loop.clique_weight === undefined ? undefined : number(loop.clique_weight)],
        ["proven optimal", loop.proven_optimal === undefined ? undefined : loop.proven_optimal ? "yes" : "no"],
        ["residual", metres(loop.residual_m)],
        ["overlap", part(loop.overlap)],
        ["agreement", part(loop.agreement)],
        ["σ rotation", three(loop.sigma_deg, "°")],
        ["σ translation", three(loop.sigma_m, "m")],
      ],
    ],
    [
      "Judgement",
      [
        ["refused for", loop.explanation || undefined],
        ["χ² to odometry", loop.odometry_chi2 === undefined ? undefined : number(loop.odometry_chi2)],
        ["χ² to the final trajectory", loop.chi2_final === undefined ? undefined : number(loop.chi2_final)],
      ],
    ],
    [
      "Truth",
      [
        ["distance", metres(loop.true_distance_m)],
        ["rotation", degrees(loop.true_rotation_deg)],
        ["overlap", part(loop.true_overlap)],
        ["error", loop.error_m === undefined ? undefined : `${metres(loop.error_m)}, ${degrees(loop.error_deg)}`],
        ["NEES (6 is ideal)", loop.nees === undefined ? undefined : number(loop.nees)],
      ],
    ],
  ];
}
