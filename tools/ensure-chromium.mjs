/** Sees to it that the tests find a Chromium: installs it where that is possible, else says how. */
import { findChromium } from "./chromium.mjs";
import { ensure } from "./packages.mjs";

ensure({
  isThere: () => findChromium() !== undefined,
  packages: ["chromium"],
  advice: "The tests need Chromium: install the package chromium, or name the program in CHROMIUM.",
});
