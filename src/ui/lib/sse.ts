/** Reads Server-Sent Events out of a body: the browser's own reader could not send a token. */

export interface Message {
  id: string | undefined;
  event: string;
  data: string;
}

/** A line that never ends must not fill the memory. */
const MAX_BUFFER = 4_000_000;

export async function* messagesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Message[]> {
  const reader = body.pipeThrough(new TextDecoderStream() as never).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = (await reader.read()) as { done: boolean; value?: string };
      if (done) return;
      const blocks = (rest + (value ?? "")).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? "";
      if (rest.length > MAX_BUFFER) rest = "";
      yield blocks.map(messageFrom);
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

function messageFrom(block: string): Message {
  const message: Message = { id: undefined, event: "", data: "" };
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, "");
    if (name === "id") message.id = value;
    if (name === "event") message.event = value;
    if (name === "data") message.data += value;
  }
  return message;
}
