// What the programs put into the page: one JSON value in <script id="report-data" type="application/json">.
// apps/html_report.cpp, slam_report.cpp and eval_report.cpp write it; keep both sides alike.

/**
 * Points on a grid, for WebGL: coordinate = origin + step * q, q in 0..65535 per axis.
 * `data` is base64 of a zlib stream (DecompressionStream "deflate") of 6 * count bytes:
 * the low bytes of all x, the high bytes of all x, then the same for y and z. Each q is stored as its difference
 * from the one before (the first from 0) modulo 65536, in the order of the points.
 */
export interface Cloud {
  count: number;
  origin: [number, number, number];
  step: number;
  data: string;
}

/** Row-major 4 x 4, maps the second frame of its name into the first. */
export type Matrix4 = number[];
/** Flat x y z x y z ... [m] */
export type Polyline = number[];

export interface Rate {
  kind: string;
  tried: number;
  right: number;
}

/** metrics.json as parte_slam writes it (docs/FORMATS.md); only what the page reads is named. */
export interface TrajectoryErrors {
  ate_rmse_m: number;
  ate_rmse_first_pose_m: number;
  end_point_m: number;
  lateral_rmse_m: number;
  yaw_rmse_deg: number;
  rpe_translation_m: number;
  rpe_rotation_deg: number;
  t_rel_percent: number | null;
  r_rel_deg_per_100m: number | null;
}
export interface LoopMetrics {
  tried: number;
  accepted: number;
  refused: Record<string, number>;
  median_chi2: number;
  wrong?: number;
  precision_percent?: number | null;
  revisits?: number;
  closed_revisits?: number;
  recall_percent?: number | null;
  mean_nees?: number;
  registrations?: { by_distance: Rate[]; by_rotation: Rate[]; by_overlap: Rate[] };
}
export interface SlamMetrics {
  sequence: string;
  frames: number;
  keyframes: number;
  path_m: number;
  odometry_lost_frames: number;
  ground_truth: boolean;
  odometry: TrajectoryErrors | null;
  corrected: TrajectoryErrors | null;
  loops: LoopMetrics;
  times_ms: Record<string, number>;
  peak_memory_gb: number;
}

/** What a registration was made of, for drawing. `source` is the scan `to`, `target` the scan `from`. */
export interface LoopDetail {
  /** Six numbers a pair: the source point in the frame of `to`, the target point in that of `from`. */
  points: number[];
  /** Matched planar patches as rectangles: four corners of the source's, in the frame of `to`, then of the target's. */
  planes: { source: number[]; target: number[] }[];
}

/** A candidate, in the order in which they were tried. `from` and `to` are keyframes (positions in `keyframes`). */
export interface Loop {
  from: number;
  to: number;
  kind: "nearby" | "look-alike" | "neighbour";
  accepted: boolean;
  reason: string;
  explanation?: string; // of a refusal: what was missing, in numbers; else empty
  registered: boolean;
  T_odometry: Matrix4; // from <- to, as odometry alone has it
  expected_distance_m: number;
  ms: number;
  // Of registrations that succeeded (registered), else absent:
  T_from_to?: Matrix4;
  clique_points?: number;
  clique_planes?: number;
  clique_weight?: number;
  proven_optimal?: boolean;
  residual_m?: number;
  overlap?: number;
  agreement?: number;
  odometry_chi2?: number;
  /** Standard deviations by the covariance: rotation [deg], translation [m]. */
  sigma_deg?: [number, number, number];
  sigma_m?: [number, number, number];
  /** Squared Mahalanobis distance to the final trajectory; only of accepted ones. */
  chi2_final?: number;
  // With ground truth:
  true_distance_m?: number;
  true_rotation_deg?: number;
  true_overlap?: number;
  right?: boolean;
  // With ground truth, if registered:
  error_m?: number;
  error_deg?: number;
  nees?: number;
  detail?: LoopDetail;
}

export interface SlamReport {
  kind: "slam";
  version: string;
  title: string;
  command: string; // as it was typed, shell-quoted
  metrics: SlamMetrics;
  /** Wall-clock seconds of all stages together. */
  seconds: number;
  /** z of the first scan is up. With --sensor rgbd nobody knows. */
  upright: boolean;
  /** What the reader must know before anything else, in sentences. */
  warnings: string[];
  /** Numbers of the frames in the data set, and their times [s]. */
  frame_ids: number[];
  times_s: number[];
  /** All in one frame, that of the first scan: the truth is laid on the corrected trajectory (SE3, least squares). */
  odometry: Polyline;
  corrected: Polyline;
  truth: Polyline | null;
  /** Distance of each frame from the truth, each trajectory aligned to it as for the ATE. */
  error_odometry_m: number[] | null;
  error_corrected_m: number[] | null;
  /** Positions of the keyframes among the frames. */
  keyframes: number[];
  loops: Loop[];
  /**
   * Scans of keyframes that take part in a loop with `detail`, and of some candidates that were not registered, thinned
   * out, in the sensor's frame; by keyframe.
   */
  scans: Record<string, Cloud>;
  /** In the frame of `corrected`. Null: there were no scans to make one of. */
  map: Cloud | null;
  /** config.toml */
  config: string;
  /** What was left out to keep the page small, in sentences. */
  notes: string[];
}

/** Columns of results, one entry for each pair and method. */
export interface EvalResults {
  pair: number[];
  method: number[]; // position in `methods`
  source: number[]; // position in `names`
  target: number[];
  group: string[];
  bin: string[];
  status: string[];
  estimated: boolean[];
  accepted: boolean[];
  right: boolean[];
  error_m: (number | null)[]; // null: no transform
  error_deg: (number | null)[];
  clique_points: number[];
  clique_planes: number[];
  clique_weight: number[];
  overlap: number[];
  agreement: number[];
  /** Stated probability that the estimate is right; 0 where a method has none. */
  confidence: number[];
  total_ms: (number | null)[];
  /** Of the scans, each once. */
  names: string[];
}

export interface StageTime {
  method: number;
  stage: string;
  mean_ms: number;
  median_ms: number;
  p95_ms: number;
}

/** A pair drawn: the source moved by the estimate and by the truth. */
export interface GalleryPair {
  result: number; // position in the columns of `results`
  source: Cloud;
  target: Cloud;
  T_estimate: Matrix4 | null; // target <- source
  T_truth: Matrix4;
}

export interface CurvePoint {
  x: number;
  y: number;
  count: number;
}
export interface PlaneScores {
  descriptor: string;
  f1: number;
  average_precision: number;
  mean_true_positives: number;
  precision: number;
  recall: number;
  /** x recall, y precision */
  precision_recall: CurvePoint[];
  /** x confidence, y part that is right */
  confidence: CurvePoint[];
}

export interface Table {
  title: string;
  /** One heading for each column; equal neighbours share one. If the first is empty, rows[0] has the columns' titles. */
  headings: string[];
  /** First cell: the row's name. */
  rows: string[][];
}

export interface EvalReport {
  kind: "eval";
  version: string;
  title: string; // the benchmark
  head: string; // one line: pairs, voxel, what counts as right
  command: string;
  methods: string[];
  /** The tables that are printed. */
  tables: Table[];
  /** run.json */
  run: unknown;
  right: { metres: number; degrees: number };
  /** Null with --planes. */
  results: EvalResults | null;
  stages: StageTime[];
  /** Null without --planes. */
  planes: PlaneScores[] | null;
  /** The worst pairs of the first method, worst first, as positions in the columns of `results`. */
  worst: number[];
  /** Those of them whose scans are at hand. */
  gallery: GalleryPair[];
  notes: string[];
}

export type Report = SlamReport | EvalReport;
