import { theme } from "./theme";

// Told apart by all eyes (after Okabe and Ito), in the shades of style.css.
const seriesCount = 12;
export const seriesColor = (k: number): string => `series-${k % seriesCount}`;
export const seriesDash = (k: number): number[] | undefined =>
  [undefined, [8, 4], [2, 3], [10, 3, 2, 3]][Math.floor(k / seriesCount) % 4];

type Rgb = [number, number, number];

const ramps = {
  // More members, more ink: away from the background in either theme.
  light: ["#f2b5dc", "#dd6fb6", "#b32a8b", "#7b0a68", "#3f0242"],
  dark: ["#6d2c66", "#a03c90", "#d65cbb", "#f593da", "#ffdcf5"],
  // The ground recedes, what stands on it does not.
  heightLight: ["#b9c5d3", "#7fb4c6", "#3d9aa3", "#217a72", "#24565f", "#232b4d"],
  heightDark: ["#3a3f6b", "#3d6cb0", "#2a9aa0", "#3fc48a", "#a5dc5b", "#fde74c"],
};

const rgb = (hex: string): Rgb => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255) as Rgb;

function ramp(stops: string[], t: number): Rgb {
  const place = Math.min(1, Math.max(0, t)) * (stops.length - 1);
  const k = Math.min(stops.length - 2, Math.floor(place));
  const [a, b] = [rgb(stops[k]!), rgb(stops[k + 1]!)];
  return a.map((value, axis) => value + (b[axis]! - value) * (place - k)) as Rgb;
}

/** Of a loop whose clique is the part t of the largest. */
export const cliqueColor = (t: number): Rgb => ramp(ramps[theme()], t);
export const heightColor = (t: number): Rgb => ramp(theme() === "dark" ? ramps.heightDark : ramps.heightLight, t);

export const css = (c: Rgb): string => `rgb(${c.map((value) => Math.round(255 * value)).join(" ")})`;

export function gradient(of: (t: number) => Rgb): string {
  const stops = [0, 0.2, 0.4, 0.6, 0.8, 1].map((t) => css(of(t)));
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
