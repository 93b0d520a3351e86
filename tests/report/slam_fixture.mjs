// What parte_slam might have said of a drive round the made-up town, twice.
import { cloudAround, encodeCloud, inverse, multiply, normal, pose, randomNumbers, transform } from "./world.mjs";

const lap = { wide: 200, high: 120 };
const round = 2 * (lap.wide + lap.high);

/** Place and heading after s metres of way. */
function onTheWay(s) {
  const rest = s % round;
  if (rest < lap.wide) return [rest, 0, 0];
  if (rest < lap.wide + lap.high) return [lap.wide, rest - lap.wide, Math.PI / 2];
  if (rest < 2 * lap.wide + lap.high) return [2 * lap.wide + lap.high - rest, lap.high, Math.PI];
  return [0, round - rest, -Math.PI / 2];
}

function trajectories(frames) {
  const random = randomNumbers(11);
  const truth = [];
  const odometry = [];
  const corrected = [];
  for (let k = 0; k < frames; ++k) {
    const s = (k / frames) * 2 * round * 0.97;
    const [x, y, yaw] = onTheWay(s);
    const drift = s / (2 * round);
    truth.push(pose(x, y, yaw, 0));
    odometry.push(pose(x + 14 * drift ** 2 + 3 * drift, y - 17 * drift ** 1.5, yaw - 0.12 * drift, 1.5 * drift));
    corrected.push(
      pose(x + 0.3 * Math.sin(s / 37) + 0.03 * normal(random), y + 0.35 * Math.cos(s / 51) - 0.3, yaw, 0.05),
    );
  }
  return { truth, odometry, corrected };
}

const places = (poses) => poses.flatMap((T) => [T[3], T[7], T[11]].map((value) => +value.toFixed(3)));
const apart = (a, b) => a.map((T, k) => Math.hypot(T[3] - b[k][3], T[7] - b[k][7], T[11] - b[k][11]));
const rms = (values) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);

/** A rectangle upright in the world, seen from a pose. */
function wallSeen(T, seed) {
  const random = randomNumbers(seed);
  const [x, y] = [T[3] + 24 * (random() - 0.5), T[7] + (random() < 0.5 ? 12 : -12)];
  const world = [x - 4, y, 0.5, x + 4, y, 0.5, x + 4, y, 6, x - 4, y, 6];
  return transform(inverse(T), world);
}

function detailOf(T_from, T_to, seed) {
  const world = cloudAround(seed, T_from[3], T_from[7], 25, 24);
  const [target, source] = [transform(inverse(T_from), world), transform(inverse(T_to), world)];
  const points = [];
  for (let k = 0; k < world.length; k += 3) points.push(...source.slice(k, k + 3), ...target.slice(k, k + 3));
  const planes = [1, 2, 3].map((k) => {
    const seen = transform(T_from, wallSeen(T_from, seed + k));
    return { target: wallSeen(T_from, seed + k), source: transform(inverse(T_to), seen) };
  });
  return { points, planes };
}

const reasons = ["overlap too small", "no clique found", "contradicts odometry", "not confirmed by other loops"];

/** Candidates between the two laps: most are right, a few are refused, one is wrong and accepted. */
function makeLoops(ways, keyframes, random) {
  const { truth, odometry, corrected } = ways;
  const loops = [];
  const half = Math.floor(keyframes.length / 2);
  for (let to = half + 4; to < keyframes.length; ++to) {
    const from = Math.max(0, Math.min(half, to - half - 2 + Math.floor(5 * random())));
    const [a, b] = [keyframes[from], keyframes[to]];
    const accepted = random() < 0.7;
    const registered = accepted || random() < 0.6;
    const wrong = accepted ? to === half + 30 : random() < 0.8;
    const off = pose(0.04 * normal(random) + (wrong ? 4 : 0), 0.04 * normal(random), 0.004 * normal(random), 0);
    const T_true = multiply(inverse(truth[a]), truth[b]);
    const distance = Math.hypot(T_true[3], T_true[7]);
    const chi2 = () => Array.from({ length: 6 }, () => normal(random) ** 2).reduce((x, y) => x + y);
    loops.push({
      from,
      to,
      kind: random() < 0.8 ? "nearby" : "look-alike",
      accepted,
      reason: accepted ? "accepted" : reasons[registered ? 2 + Math.floor(2 * random()) : Math.floor(2 * random())],
      registered,
      T_odometry: multiply(inverse(odometry[a]), odometry[b]),
      expected_distance_m: distance + 3,
      ms: 40 + 60 * random(),
      true_distance_m: distance,
      true_rotation_deg: 3 * random(),
      true_overlap: 0.35 + 0.5 * random(),
      right: registered && !wrong,
      ...(registered && {
        T_from_to: multiply(T_true, off),
        clique_points: 8 + Math.floor(110 * random() ** 2),
        clique_planes: Math.floor(7 * random()),
        clique_weight: 20 + 80 * random(),
        proven_optimal: random() < 0.9,
        residual_m: 0.08 + 0.05 * random(),
        overlap: 0.3 + 0.6 * random(),
        agreement: 0.9 + 0.1 * random(),
        odometry_chi2: 4 + 5 * random(),
        sigma_deg: [0.05, 0.06, 0.12],
        sigma_m: [0.03, 0.04, 0.05],
        error_m: wrong ? 4.01 : 0.06 * (1 + random()),
        error_deg: wrong ? 0.9 : 0.2 * random(),
        nees: wrong ? 480 : 1.3 * chi2(),
      }),
      ...(accepted && { chi2_final: 0.6 * chi2() }),
      ...(registered && to % 3 === 0 && { detail: detailOf(corrected[a], corrected[b], to) }),
    });
  }
  return loops;
}

function scansOf(loops, keyframes, ways) {
  const scans = {};
  for (const loop of loops.filter(({ detail, registered, to }) => detail || (!registered && to % 3 === 0)))
    for (const k of [loop.from, loop.to]) {
      const T = ways.truth[keyframes[k]];
      scans[k] ??= encodeCloud(transform(inverse(T), cloudAround(1000 + k, T[3], T[7], 45, 4000)));
    }
  return scans;
}

function countBy(loops, value, limits, kinds) {
  return kinds.map((kind, k) => {
    const inside = loops.filter((loop) => value(loop) >= limits[k] && value(loop) < limits[k + 1]);
    return { kind, tried: inside.length, right: inside.filter(({ right }) => right).length };
  });
}

function loopMetrics(loops) {
  const accepted = loops.filter((loop) => loop.accepted);
  const wrong = accepted.filter(({ right }) => !right).length;
  const refused = {};
  for (const { accepted: taken, reason } of loops) if (!taken) refused[reason] = (refused[reason] ?? 0) + 1;
  return {
    tried: loops.length,
    accepted: accepted.length,
    refused,
    median_chi2: 3.4,
    wrong,
    precision_percent: accepted.length ? (100 * (accepted.length - wrong)) / accepted.length : null,
    revisits: loops.length,
    closed_revisits: accepted.length - wrong,
    recall_percent: loops.length ? (100 * (accepted.length - wrong)) / loops.length : null,
    mean_nees: 7.8,
    registrations: {
      by_distance: countBy(loops, (l) => l.true_distance_m, [0, 10, 20, 30, Infinity], ["0-10 m", "10-20 m", "20-30 m", "above 30 m"]),
      by_rotation: countBy(loops, (l) => l.true_rotation_deg, [0, 1, 2, 180], ["0-1 deg", "1-2 deg", "2-180 deg"]),
      by_overlap: countBy(loops, (l) => l.true_overlap, [0, 0.5, 0.7, 1.1], ["below 50 %", "50-70 %", "above 70 %"]),
    },
  };
}

/** A report; `mapPoints` of its map, `truth` whether it knows the truth. */
export function slamReport({ frames = 1200, mapPoints = 60_000, truth = true } = {}) {
  const ways = trajectories(frames);
  const keyframes = Array.from({ length: Math.ceil(frames / 5) }, (_, k) => 5 * k).filter((k) => k < frames);
  const loops = makeLoops(ways, keyframes, randomNumbers(5));
  const errors = { odometry: apart(ways.odometry, ways.truth), corrected: apart(ways.corrected, ways.truth) };
  const measured = (values) => ({
    ate_rmse_m: rms(values),
    ate_rmse_first_pose_m: 1.4 * rms(values),
    end_point_m: values.at(-1),
    lateral_rmse_m: 0.6 * rms(values),
    yaw_rmse_deg: 0.3 * rms(values),
    rpe_translation_m: 0.021,
    rpe_rotation_deg: 0.05,
    t_rel_percent: 0.61,
    r_rel_deg_per_100m: null,
  });
  const report = {
    kind: "slam",
    version: "0.1.0",
    title: "town (made up)",
    command: "parte_slam --demo --out out/town",
    metrics: {
      sequence: "town",
      frames,
      keyframes: keyframes.length,
      path_m: 2 * round * 0.97,
      odometry_lost_frames: 2,
      ground_truth: truth,
      odometry: measured(errors.odometry),
      corrected: measured(errors.corrected),
      loops: loopMetrics(loops),
      times_ms: { odometry_and_reading: 31_000, features: 14_500, loops: 9_800, rebuild: 450 },
      peak_memory_gb: 0.82,
    },
    seconds: 58.2,
    upright: true,
    warnings: [],
    frame_ids: Array.from({ length: frames }, (_, k) => k),
    times_s: Array.from({ length: frames }, (_, k) => +(0.1 * k).toFixed(3)),
    odometry: places(ways.odometry),
    corrected: places(ways.corrected),
    truth: places(ways.truth),
    error_odometry_m: errors.odometry,
    error_corrected_m: errors.corrected,
    keyframes,
    loops,
    scans: scansOf(loops, keyframes, ways),
    map: mapPoints ? encodeCloud(cloudAround(3, 100, 60, 150, mapPoints)) : null,
    config: 'sequence="town"\nvoxel=0.3\nloops.max-distance=20\n',
    notes: ["The page shows every third loop with its scans."],
  };
  return truth ? report : withoutTruth(report);
}

function withoutTruth(report) {
  const { tried, accepted, refused, median_chi2 } = report.metrics.loops;
  const loops = report.loops.map((loop) => {
    const known = Object.entries(loop).filter(([name]) => !/^(true_.*|right|error_.*|nees)$/.test(name));
    return Object.fromEntries(known);
  });
  return {
    ...report,
    truth: null,
    error_odometry_m: null,
    error_corrected_m: null,
    loops,
    metrics: { ...report.metrics, odometry: null, corrected: null, loops: { tried, accepted, refused, median_chi2 } },
  };
}

/** A run of one frame in which nothing happened. */
export function emptySlamReport() {
  const report = slamReport({ frames: 1, mapPoints: 0, truth: false });
  return {
    ...report,
    loops: [],
    scans: {},
    notes: [],
    metrics: {
      ...report.metrics,
      loops: { tried: 0, accepted: 0, refused: {}, median_chi2: 0 },
      times_ms: {},
      path_m: 0,
    },
    config: "",
  };
}
