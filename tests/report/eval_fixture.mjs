// What parte_eval might have said of pairs in the made-up town.
import { cloudAround, encodeCloud, inverse, multiply, normal, pose, randomNumbers, transform } from "./world.mjs";

const methods = ["PARTE", "points only", "RANSAC"];
const stages = ["voxels", "normals", "planes", "descriptors", "matching", "clique", "transform", "verification"];
const bins = ["0-10 m", "10-20 m", "20-30 m"];
const groups = ["00", "05", "08"];

function makeResults(pairs, random) {
  const names = [];
  const results = Object.fromEntries(
    ["pair", "method", "source", "target", "group", "bin", "status", "estimated", "accepted", "right", "error_m",
     "error_deg", "clique_points", "clique_planes", "clique_weight", "overlap", "agreement", "confidence",
     "total_ms"].map((name) => [name, []])); // prettier-ignore
  results.names = names;
  const scan = (group, number) => {
    const name = `sequences/${group}/${String(number).padStart(6, "0")}.bin`;
    if (!names.includes(name)) names.push(name);
    return names.indexOf(name);
  };
  const add = (row) => Object.entries(row).forEach(([name, value]) => results[name].push(value));
  for (let pair = 0; pair < pairs; ++pair)
    for (let method = 0; method < methods.length; ++method) {
      const bin = pair % 3;
      const good = random() > 0.02 + 0.07 * method + 0.06 * bin * (1 + method);
      const estimated = good || random() < 0.7;
      const overlap = good ? 0.25 + 0.65 * random() : 0.55 * random();
      const agreement = good ? 0.97 + 0.03 * random() : 0.88 + 0.12 * random();
      add({
        pair,
        method,
        source: scan(groups[pair % 7 % 3], 3 * pair),
        target: scan(groups[pair % 7 % 3], 3 * pair + 400),
        group: groups[pair % 7 % 3],
        bin: bins[bin],
        status: !estimated ? "no clique found" : random() < 0.1 ? "degenerate" : "success",
        estimated,
        accepted: estimated && (good || random() < 0.1),
        right: good,
        error_m: !estimated ? null : good ? 0.02 + 0.12 * Math.abs(normal(random)) : 3 + 25 * random(),
        error_deg: !estimated ? null : good ? 0.03 + 0.3 * Math.abs(normal(random)) : 6 + 150 * random(),
        clique_points: estimated ? 10 + Math.floor(60 * random()) : 0,
        clique_planes: method === 0 ? Math.floor(6 * random()) : 0,
        clique_weight: 30 * random(),
        overlap,
        agreement,
        confidence: method === 2 || !estimated ? 0 : agreement ** 8 * overlap,
        total_ms: 90 + 40 * random() + 60 * method,
      });
    }
  return results;
}

const worstOf = (results) =>
  results.method.flatMap((method, row) => (method === 0 && !results.right[row] ? [row] : [])).slice(0, 12);

function galleryOf(results, random, count) {
  return worstOf(results).slice(0, count).map((result, k) => {
    const [T_target, T_source] = [pose(20 * k, 0, 0), pose(20 * k + 8, 1, 0.2)];
    const seen = (T, seed) => encodeCloud(transform(inverse(T), cloudAround(seed, T[3], T[7], 40, 3000)));
    const T_truth = multiply(inverse(T_target), T_source);
    const off = pose(4 + 6 * random(), 5 * normal(random), 0.5 * normal(random), 0);
    return {
      result,
      source: seen(T_source, 50 + k),
      target: seen(T_target, 90 + k),
      T_estimate: results.estimated[result] ? multiply(T_truth, off) : null,
      T_truth,
    };
  });
}

const stageTimes = (random) =>
  methods.flatMap((_, method) =>
    stages.map((stage) => {
      const mean_ms = 3 + 25 * random();
      return { method, stage, mean_ms, median_ms: 0.9 * mean_ms, p95_ms: 1.8 * mean_ms };
    }),
  );

const common = {
  kind: "eval",
  version: "0.1.0",
  title: "KITTI-LC (made up)",
  head: "210 pairs, voxel 0.3 m, right within 2 m and 5 deg",
  command: "parte_eval --kitti-lc --methods parte,points,ransac",
  right: { metres: 2, degrees: 5 },
  run: { benchmark: "KITTI-LC", voxel_m: 0.3, threads: 2, settings: { clique: { seconds: 1 } } },
  notes: ["The gallery shows 6 of the failed pairs."],
};

export function evalReport({ pairs = 210, pictures = 6 } = {}) {
  const random = randomNumbers(21);
  const results = makeResults(pairs, random);
  return {
    ...common,
    methods,
    tables: [
      {
        title: "Success rate",
        headings: ["", "SR [%] 0-10 m", "SR [%] 0-10 m", "SR [%] 10-20 m", "SR [%] 10-20 m", "time [ms]"],
        rows: [
          ["method", "00", "05", "00", "all", "all"],
          ["PARTE", "98.1", "97.0", "93.2", "91.8", "110.2"],
          ["points only", "91.0", "90.2", "84.1", "80.0", "170.5"],
          ["RANSAC", "80.1", "79.9", "70.0", "--", "231.0"],
        ],
      },
    ],
    results,
    stages: stageTimes(random),
    planes: null,
    worst: worstOf(results),
    gallery: galleryOf(results, random, pictures),
  };
}

export function planesReport() {
  const descriptor = (name, strength) => ({
    descriptor: name,
    f1: 0.5 + 0.3 * strength,
    average_precision: 0.4 + 0.5 * strength,
    mean_true_positives: 4 + 6 * strength,
    precision: 0.6 + 0.3 * strength,
    recall: 0.5 + 0.3 * strength,
    precision_recall: Array.from({ length: 40 }, (_, k) => ({ x: k / 40, y: 1 - (1 - strength) * (k / 40) ** 2, count: k })),
    confidence: Array.from({ length: 10 }, (_, k) => ({ x: (k + 0.5) / 10, y: ((k + 1) / 10) ** (2 - strength), count: 9 })),
  });
  return {
    ...common,
    methods: [],
    tables: [{ title: "", headings: ["descriptor", "F1", "AP"], rows: [["PCH", "0.74", "0.80"]] }],
    results: null,
    stages: [],
    planes: [descriptor("PCH", 0.8), descriptor("PCH, planes only", 0.5), descriptor("normals", 0.2)],
    worst: [],
    gallery: [],
  };
}

export function emptyEvalReport() {
  const report = evalReport({ pairs: 0, pictures: 0 });
  return { ...report, tables: [], stages: [], notes: [] };
}
