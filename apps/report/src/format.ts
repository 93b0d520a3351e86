/** With about three digits that count, and thin spaces between thousands. */
export function number(value: number | null | undefined, digits?: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const places = digits ?? (size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 || size === 0 ? 2 : 3);
  if (digits === undefined && size > 0 && size < 0.001) return value.toExponential(1);
  const rounded = value.toFixed(places).replace(/^-(?=[0.]*$)/, "").replace("-", "−"); // no −0.0
  return rounded.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, "\u202f");
}

export const count = (value: number): string => number(value, 0);

export function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : percentage((100 * part) / whole);
}

/** Never rounds up to a 100 or down to a 0 that is not one. */
export function percentage(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0 || value === 100) return `${value} %`;
  return `${Math.min(99.9, Math.max(0.1, value)).toFixed(1)} %`;
}

export function seconds(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value < 60) return `${number(value, value < 10 ? 2 : 1)} s`;
  const minutes = Math.floor(Math.round(value) / 60);
  const rest = Math.round(value) % 60;
  if (minutes < 60) return `${minutes} min ${rest} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function milliseconds(value: number): string {
  return value >= 1000 ? seconds(value / 1000) : `${number(value)} ms`;
}

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
export const words = (identifier: string): string => identifier.replaceAll("_", " ");
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;
