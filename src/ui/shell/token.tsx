import { useState } from "preact/hooks";
import { reachability } from "../lib/api.ts";
import { serverInfo } from "../lib/calls.ts";
import { setClock } from "../lib/clock.ts";
import { restart } from "../lib/live.ts";
import { forgetAll } from "../lib/resource.ts";
import { forgetToken, keepToken, server, wantsToken } from "../lib/session.ts";

/** Asks who the server is and what we may do. */
export async function introduce(): Promise<void> {
  const info = await serverInfo();
  setClock(info.now);
  server.set(info);
  wantsToken.set(undefined);
}

/** How often it is asked again, in milliseconds: clocks drift, and roles change. */
const AGAIN_MS = 60_000;

/** Keeps knowing who the server is. A token may be missing, or the server away: both are shown. */
export function stayIntroduced(): void {
  const ask = () => void introduce().catch(() => undefined);
  ask();
  setInterval(() => document.hidden || wantsToken.value !== undefined || ask(), AGAIN_MS);
  reachability.watch(() => reachability.value.lostAt === undefined && ask());
}

/** Asks for a token, in place of the page, where the server wants one. */
export function TokenForm() {
  const [token, type] = useState("");
  const [remember, setRemember] = useState(false);
  const [trouble, setTrouble] = useState<string>();
  const submit = async () => {
    keepToken(token.trim(), remember);
    try {
      await introduce();
      forgetAll();
      restart();
    } catch (error) {
      forgetToken();
      setTrouble((error as Error).message);
    }
  };
  return (
    <main class="token" id="main">
      <h1>qless</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p>This server wants a token. Whoever runs it gives them out.</p>
        <div class="field">
          <label for="token">Token</label>
          <input
            id="token"
            type="password"
            required
            value={token}
            autocomplete="current-password"
            onInput={(event) => type(event.currentTarget.value)}
          />
        </div>
        <label class="check">
          <input type="checkbox" checked={remember} onChange={() => setRemember(!remember)} />
          Remember it in this browser
        </label>
        {trouble !== undefined && (
          <p class="trouble" role="alert">
            {trouble}.
          </p>
        )}
        <button type="submit" class="primary">
          Enter
        </button>
      </form>
    </main>
  );
}
