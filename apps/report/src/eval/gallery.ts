import type { EvalReport, EvalResults, GalleryPair } from "../data";
import { h, muted, section, whenNear } from "../dom";
import { number } from "../format";
import { onTheme } from "../theme";
import { PairView } from "../view/pair_view";

const sentence =
  "The pairs that the first method is furthest off with, as it aligned them and as they truly are; choose one to turn and zoom it.";

interface Card {
  pair: GalleryPair;
  element: HTMLButtonElement;
  picture: HTMLCanvasElement;
}

const verdict = (results: EvalResults, row: number): string => {
  if (!results.estimated[row]) return `no estimate: ${results.status[row]}`;
  return results.right[row] ? "right" : "wrong";
};

const about = (results: EvalResults, row: number): string => {
  const metres = results.error_m[row] ?? null;
  if (metres === null) return verdict(results, row);
  return `${verdict(results, row)}: off by ${number(metres)} m, ${number(results.error_deg[row])}°`;
};

/** The source and the target. */
const scansOf = (results: EvalResults, row: number): string[] =>
  [results.source, results.target].map((column) => results.names[column[row]!]!);

/** Without the folders that all files share. */
function shortNames(results: EvalResults, rows: number[]): (row: number) => string {
  const paths = rows.flatMap((row) => scansOf(results, row));
  const folders = paths[0]!.split("/").slice(0, -1);
  while (folders.length && !paths.every((path) => path.startsWith(`${folders.join("/")}/`))) folders.pop();
  const shared = folders.length ? folders.join("/").length + 1 : 0;
  return (row) =>
    scansOf(results, row)
      .map((path) => path.slice(shared))
      .join(" → ");
}

/** Small pictures of all pairs, and a view of the one that is chosen. */
class Gallery {
  readonly pair = new PairView({ target: "target", source: "source", above: "Along z of the target" }, false);
  readonly title = h("h3", { "aria-live": "polite" });
  readonly cards: Card[];
  private chosen: Card;

  constructor(
    private readonly results: EvalResults,
    pairs: GalleryPair[],
  ) {
    const short = shortNames(results, pairs.map(({ result }) => result));
    this.cards = pairs.map((pair): Card => {
      const picture = h("canvas", { width: 320, height: 220 });
      const name = h("span", { class: "card-name" }, short(pair.result));
      const element = h(
        "button",
        { type: "button", class: "card", onclick: () => void this.choose(card) },
        picture,
        name,
        h("span", { class: results.right[pair.result] ? "muted" : "wrong" }, about(results, pair.result)),
      );
      const card = { pair, element, picture };
      return card;
    });
    this.chosen = this.cards[0]!;
  }

  private choose(card: Card): Promise<void> {
    this.chosen = card;
    for (const one of this.cards) one.element.setAttribute("aria-pressed", String(one === card));
    const row = card.pair.result;
    this.title.textContent = `${scansOf(this.results, row).join(" → ")}: ${about(this.results, row)}`;
    return show(this.pair, card.pair);
  }

  /** One view draws all pictures: browsers allow few WebGL contexts. */
  async draw(): Promise<void> {
    for (const card of this.cards) {
      await show(this.pair, card.pair);
      copyLeftHalf(this.pair, card.picture);
    }
    await this.choose(this.chosen);
  }
}

/** Pairs whose scans are not at hand. */
function listed(results: EvalResults, rows: number[]): HTMLElement {
  const head = ["source → target", "error [m]", "error [deg]", "verdict"].map((text) => h("th", {}, text));
  const body = rows.map((row) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, scansOf(results, row).join(" → ")),
      h("td", {}, number(results.error_m[row])),
      h("td", {}, number(results.error_deg[row])),
      h("td", { class: results.right[row] ? undefined : "wrong" }, verdict(results, row)),
    ),
  );
  const table = h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body));
  return h("div", { class: "panel wide-table" }, table);
}

export function gallery(report: EvalReport, results: EvalResults): HTMLElement {
  const drawn = new Set(report.gallery.map(({ result }) => result));
  const undrawn = report.worst.filter((row) => !drawn.has(row));
  const list = undrawn.length > 0 && listed(results, undrawn);
  if (report.gallery.length === 0)
    return section(
      "gallery",
      "Worst pairs",
      "The pairs that the first method is furthest off with.",
      muted("The scans of this run are not at hand: there is nothing to draw."),
      list,
    );
  const shown = new Gallery(results, report.gallery);
  const element = section(
    "gallery",
    "Worst pairs",
    sentence,
    h("div", { class: "cards" }, ...shown.cards.map((card) => card.element)),
    shown.title,
    shown.pair.element,
    list,
  );
  whenNear(element, () => {
    void shown.draw();
    onTheme(() => void shown.draw());
  });
  return element;
}

function show(view: PairView, { source, target, T_estimate, T_truth, result }: GalleryPair): Promise<void> {
  return view.show(
    {
      source,
      target,
      poses: [
        { name: "as estimated", T_target_source: T_estimate, missing: "no estimate" },
        { name: "as it truly is", T_target_source: T_truth },
      ],
    },
    String(result),
  );
}

function copyLeftHalf(view: PairView, picture: HTMLCanvasElement): void {
  const drawn = view.view?.canvas;
  if (!drawn) return;
  const { width, height } = drawn;
  const scale = Math.max(picture.width / (width / 2), picture.height / height);
  const [w, h] = [picture.width / scale, picture.height / scale];
  picture.getContext("2d")!.drawImage(drawn, width / 4 - w / 2, (height - h) / 2, w, h, 0, 0, picture.width, picture.height);
}
