import { Unreachable } from "../engine.ts";
import { type Client, isSecure, placeOf, redacted, securePlaces } from "./client.ts";
import { outageIn, sentence } from "./errors.ts";
import { handshakeError, type SocketError, tlsFaultIn } from "./tls.ts";

/** What an attempt to connect ran into. */
export interface Trouble {
  /** In the words of whoever noticed, without passwords. */
  text: string;
  /** What it means, where that is known, and whether waiting is no use. */
  known?: { code: string; says: string; lasting: boolean } | undefined;
}

export const NO_TROUBLE: Trouble = { text: "" };

/** What an error of ioredis tells about a client, or about that server of it. */
export function troubleFrom(
  client: Client,
  error: Error & { lastNodeError?: Error },
  place = placeOf(client),
): Trouble {
  const cause: SocketError = error.lastNodeError ?? error;
  const words = cause.message === "" ? String(cause.code) : cause.message;
  const said = words.replace(/^.* Last error: /s, "");
  const text = redacted(client, said);
  return { text, known: tlsFaultIn(cause, place) ?? knownFrom(said, text) };
}

function knownFrom(said: string, shown: string): Trouble["known"] {
  const outage = outageIn(said);
  if (outage === undefined) return undefined;
  const { code, remedy } = outage;
  return { code, says: sentence(outage, shown), lasting: remedy === "give-up" };
}

/** What the answer to SELECT means, with which a connection begins that is not for database 0. */
export function databaseTrouble(client: Client, database: number, error: Error): Trouble {
  const text = redacted(client, error.message);
  const known = knownFrom(error.message, text);
  if (known?.lasting === false) return { text, known };
  const code = known?.code ?? "NO_DATABASE";
  const why = "correct the number at the end of the URL, or the setting `databases` of the server";
  const advice = known === undefined ? `${why}. Redis said: ${text}` : known.says;
  return {
    text,
    known: { code, says: `Redis cannot use database ${database}: ${advice}`, lasting: true },
  };
}

/** What TLS fails of with Sentinels or nodes, of which ioredis only tells that they are not to be had. */
export async function hiddenTrouble(
  client: Client,
  signal: AbortSignal,
): Promise<Trouble | undefined> {
  for (const place of securePlaces(client)) {
    if (signal.aborted) break;
    const error = await handshakeError(place, signal).catch((thrown: Error) => thrown);
    const known = error && tlsFaultIn(error, `${place.host}:${place.port}`);
    if (known !== undefined) return { text: known.says, known };
  }
  return undefined;
}

/** The error of who waited in vain: what is known, or what was not to be had, and what to look at. */
export function unreachable(client: Client, { text, known }: Trouble, what: string): Unreachable {
  if (known !== undefined) return new Unreachable(known.code, known.says);
  const why = text === "" ? "" : ` (${text})`;
  return new Unreachable("NO_CONNECTION", `${what}${why}: ${questionAbout(client, text)}`);
}

/** TLS and its absence meet in silence, so that nothing but a question can be said of it. */
function questionAbout(client: Client, text: string): string {
  if (isSecure(client)) return "is it running, is the address right, and does it speak TLS?";
  if (text !== "") return "is it running, and is the address right?";
  return "is it running, is the address right, and does it want TLS (rediss://)?";
}
