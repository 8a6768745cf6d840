import { defineConfig } from "vite";

/** Builds the web interface into dist/ui: files that need nothing from elsewhere, and nothing inline. */
export default defineConfig({
  root: "src/ui",
  // The server may lie under any path.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../../dist/ui",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    sourcemap: false,
    // What is built in comes with its licences.
    license: { fileName: "licenses.md" },
  },
  logLevel: "warn",
});
