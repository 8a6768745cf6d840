import { render } from "preact";
import { App } from "./app.tsx";
import { follow } from "./lib/live.ts";
import { listenToKeys } from "./shell/keyboard.ts";
import { applyTheme } from "./shell/theme.ts";
import { stayIntroduced } from "./shell/token.tsx";

applyTheme();
listenToKeys();
render(<App />, document.querySelector("#app")!);
stayIntroduced();
follow();
