import { renameSync, rmdirSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// The page is checked in beside its sources, as template.html; tests give another place.
const place = process.env.PARTE_REPORT_TEMPLATE ?? "template.html";

/** Moves the one file that is built to its place. */
function moved(): Plugin {
  return {
    name: "moved",
    closeBundle() {
      renameSync("dist/index.html", place);
      rmdirSync("dist");
    },
  };
}

export default defineConfig({
  base: "./",
  build: { target: "es2022", modulePreload: false, reportCompressedSize: false },
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), moved()],
});
