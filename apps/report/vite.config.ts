import { readFileSync, renameSync, rmdirSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

/** The licences of what goes into the page go with it. */
function licensed(): Plugin {
  const texts = ["three", "uplot"].map((name) => `${name}: ${readFileSync(`node_modules/${name}/LICENSE`, "utf8")}`);
  return {
    name: "licensed",
    transformIndexHtml: {
      order: "post",
      handler: (html) => html.replace("<body>", `<body>\n    <!--\nParts of this page are by others.\n\n${texts.join("\n")}-->`),
    },
  };
}

/** The page is checked in beside its sources, as template.html. */
function moved(): Plugin {
  return {
    name: "moved",
    closeBundle() {
      renameSync("dist/index.html", "template.html");
      rmdirSync("dist");
    },
  };
}

export default defineConfig({
  base: "./",
  build: { target: "es2022", modulePreload: false, reportCompressedSize: false },
  plugins: [licensed(), viteSingleFile({ removeViteModuleLoader: true }), moved()],
});
