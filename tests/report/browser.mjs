// A browser without a network, and pages whose mistakes are noted.
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const flags = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"];
const withGraphics = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
const withoutGraphics = ["--disable-gpu", "--disable-3d-apis"];

export const launch = ({ graphics = true } = {}) =>
  chromium.launch({
    executablePath: process.env.PARTE_BROWSER,
    args: [...flags, ...(graphics ? withGraphics : withoutGraphics)],
  });

/** Opens a file; `mistakes` gathers errors, warnings of the page and requests beyond the file. */
export async function open(browser, path, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.setDefaultTimeout(120_000); // drawing without a graphics card is slow where others work too
  const address = pathToFileURL(path).href;
  const mistakes = [];
  page.on("pageerror", (error) => mistakes.push(`error: ${error.stack}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !ofTheDriver(message.text())) mistakes.push(message.text());
  });
  page.on("request", (request) => {
    const url = request.url();
    if (url.split("#")[0] !== address && !url.startsWith("data:") && !url.startsWith("blob:")) mistakes.push(`request: ${url}`);
  });
  page.on("dialog", (dialog) => {
    mistakes.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(address);
  return { page, mistakes };
}

/** Software rendering remarks that reading pixels is slow. */
const ofTheDriver = (text) => /GL Driver Message|GPU stall|swiftshader|software WebGL/i.test(text);

/** How many different colours a canvas shows, counted on a grid of its pixels: 1 is an empty canvas. */
export const colorsOf = (canvas) =>
  canvas.evaluate((element) => {
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [element.width, element.height];
    const context = copy.getContext("2d");
    context.drawImage(element, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const colors = new Set();
    for (let k = 0; k < data.length; k += 4) colors.add((data[k] << 24) | (data[k + 1] << 16) | (data[k + 2] << 8) | data[k + 3]);
    return colors.size;
  });

/** What a canvas shows, to see whether it changed. */
export const pictureOf = (canvas) => canvas.evaluate((element) => element.toDataURL());
