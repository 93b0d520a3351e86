import type { EvalReport, EvalResults, GalleryPair } from "../data";
import { h, muted, section, whenNear } from "../dom";
import { number } from "../format";
import { onTheme } from "../theme";
import { PairView } from "../view/pair_view";

const sentence =
  "The worst pairs of the first method, as it aligned them and as they truly are; choose one to turn and zoom it.";

interface Card {
  pair: GalleryPair;
  element: HTMLButtonElement;
  picture: HTMLCanvasElement;
}

const about = (results: EvalResults, row: number): string => {
  const metres = results.error_m[row] ?? null;
  if (metres === null) return `no estimate: ${results.status[row]}`;
  return `off by ${number(metres)} m, ${number(results.error_deg[row])}°`;
};

/** Without the folders that all files share. */
function shortNames(results: EvalResults, rows: number[]): (row: number) => string {
  const paths = rows.flatMap((row) => [results.source[row]!, results.target[row]!]);
  const folders = paths[0]!.split("/").slice(0, -1);
  while (folders.length && !paths.every((path) => path.startsWith(`${folders.join("/")}/`))) folders.pop();
  const shared = folders.length ? folders.join("/").length + 1 : 0;
  return (row) => `${results.source[row]!.slice(shared)} → ${results.target[row]!.slice(shared)}`;
}

const names = (results: EvalResults, row: number): string => `${results.source[row]} → ${results.target[row]}`;

export function gallery(report: EvalReport, results: EvalResults): HTMLElement {
  if (report.gallery.length === 0)
    return section("gallery", "Failures", sentence, muted("There is nothing to draw: no failures, or no scans at hand."));
  const pair = new PairView({ target: "target", source: "source" }, false);
  const title = h("h3", { "aria-live": "polite" });
  const short = shortNames(results, report.gallery.map(({ result }) => result));
  const cards = report.gallery.map((shown): Card => {
    const picture = h("canvas", { width: 320, height: 220 });
    const element = h(
      "button",
      { type: "button", class: "card", onclick: () => choose(card) },
      picture,
      h("span", { class: "card-name" }, short(shown.result)),
      h("span", { class: "muted" }, about(results, shown.result)),
    );
    const card = { pair: shown, element, picture };
    return card;
  });
  let chosen = cards[0]!;
  const choose = (card: Card) => {
    chosen = card;
    for (const one of cards) one.element.setAttribute("aria-pressed", String(one === card));
    const row = card.pair.result;
    title.textContent = `${names(results, row)}: ${about(results, row)}`;
    return show(pair, card.pair);
  };
  // One view draws all pictures: browsers allow few WebGL contexts.
  const drawAll = async () => {
    for (const card of cards) {
      await show(pair, card.pair);
      copyLeftHalf(pair, card.picture);
    }
    await choose(chosen);
  };
  const element = section(
    "gallery",
    "Failures",
    sentence,
    h("div", { class: "cards" }, ...cards.map((card) => card.element)),
    title,
    pair.element,
  );
  whenNear(element, () => {
    void drawAll();
    onTheme(() => void drawAll());
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
