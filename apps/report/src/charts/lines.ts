import uPlot from "uplot";
import { h } from "../dom";
import { number } from "../format";
import type { Curve } from "../stats";
import { color, onPrint, onTheme } from "../theme";
import { legend } from "./bars";

export interface Series extends Curve {
  label: string;
  /** Of style.css. */
  color: string;
  dash?: number[];
  /** Holds its value until the next. */
  step?: boolean;
  /** Points instead of lines only. */
  dots?: boolean;
  width?: number;
}
export interface Axis {
  label: string;
  log?: boolean;
  range?: [number, number];
  /** How the reader sees a value; a number by default. */
  text?: (value: number) => string;
}
export interface LineChart {
  title: string;
  series: Series[];
  x: Axis;
  y: Axis;
  height?: number;
}

const paperWidth = 680; // pixels of the style sheet between the margins of a sheet of A4

const font = (size: number) => `${size}px system-ui, sans-serif`;

function axis(of: Axis, side: "x" | "y"): uPlot.Axis {
  return {
    label: side === "x" ? of.label : undefined, // that of y is in the chart's heading, where it is read without turning
    labelFont: font(12),
    labelSize: 22,
    font: font(12),
    size: side === "y" ? 52 : 34,
    space: side === "x" ? (of.log ? 40 : 60) : 34,
    stroke: () => color("muted"),
    grid: { stroke: () => color("grid"), width: 1 },
    ticks: { stroke: () => color("grid"), width: 1, size: 4 },
    // Empty between the powers of ten of a logarithmic axis.
    values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : String(+tick.toPrecision(6)))),
  };
}

function scale(of: Axis): uPlot.Scale {
  return { time: false, distr: of.log ? 3 : 1, ...(of.range && { range: of.range }) };
}

function drawnAs({ label, color: name, dash, step, dots, width }: Series): uPlot.Series {
  return {
    label,
    stroke: () => color(name),
    width: width ?? 2,
    dash,
    spanGaps: true,
    paths: step ? uPlot.paths.stepped!({ align: 1 }) : undefined,
    points: { show: dots ?? false, size: 7, fill: () => color(name) },
  };
}

/** Values of all curves at the cursor go into the legend. */
function readout(chart: LineChart, keys: HTMLElement, place: HTMLElement): (plot: uPlot) => void {
  const cells = [...keys.querySelectorAll(".value")];
  const xText = chart.x.text ?? ((value: number) => `${chart.x.label}: ${number(value)}`);
  return (plot) => {
    const k = plot.cursor.idx;
    place.textContent = k == null ? "" : xText(plot.data[0]![k]!);
    chart.series.forEach((_, s) => {
      let at = k ?? -1;
      const values = plot.data[s + 1]!;
      while (at > 0 && values[at] == null) --at; // between two values of its own
      const value = at < 0 ? null : values[at];
      cells[s]!.textContent = value == null ? "" : (chart.y.text ?? number)(value);
    });
  };
}

/** Values of all curves over the places of all. */
function aligned(series: Series[]): uPlot.AlignedData {
  const x = series[0]?.x ?? [];
  if (series.every((one) => one.x === x)) return [x, ...series.map(({ y }) => y)]; // places may repeat
  return uPlot.join(series.map(({ x: places, y }) => [places, y] as uPlot.AlignedData));
}

export function lineChart(chart: LineChart): HTMLElement {
  const place = h("span", { class: "place" });
  const keys = legend(
    chart.series.map((s) => ({ label: s.label, color: s.color, dash: s.dash !== undefined, line: true, text: "" })),
  );
  const canvas = h("div", { class: "plot" });
  const heading = h("figcaption", {}, h("b", {}, chart.title), h("span", { class: "axis" }, chart.y.label), place);
  const element = h("figure", { class: "chart", role: "img", "aria-label": chart.title }, heading, canvas, keys);
  const height = chart.height ?? 280;
  const options: uPlot.Options = {
    width: 600,
    height,
    legend: { show: false },
    cursor: { drag: { x: true, y: false }, points: { size: 6 } },
    scales: { x: scale(chart.x), y: scale(chart.y) },
    axes: [axis(chart.x, "x"), axis(chart.y, "y")],
    series: [{}, ...chart.series.map(drawnAs)],
    hooks: { setCursor: [readout(chart, keys, place)] },
  };
  const plot = new uPlot(options, aligned(chart.series), canvas);
  const fit = (width: number) => width > 0 && plot.setSize({ width, height });
  new ResizeObserver(() => fit(canvas.clientWidth)).observe(canvas);
  onTheme(() => plot.redraw(false));
  onPrint((on) => fit(on ? paperWidth : canvas.clientWidth));
  return element;
}
