import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { laidOut } from "../../json/laid-out.ts";
import { type RawJson, rawJson, writeJson } from "../../json/raw-json.ts";
import { ask, type Request } from "../lib/api.ts";
import { Store, useStore } from "../lib/store.ts";
import { Dialog } from "./dialog.tsx";
import { type Field, Fields, initialOf, type Values } from "./fields.tsx";
import { say } from "./toasts.tsx";

/** Something that is to be confirmed, or needs to be said more precisely, before it is done. */
export interface Asked {
  title: string;
  /** What the button says. */
  verb: string;
  says?: ComponentChildren;
  fields?: readonly Field[];
  isDangerous?: boolean;
  /** The request for what was typed; an error it throws is shown. */
  request: (values: Values) => Request;
  /** What is said afterwards. */
  done: string;
  after?: ((answer: unknown) => void) | undefined;
}

const asked = new Store<Asked | undefined>(undefined);

/** Opens the dialog. */
export const confirm = (what: Asked) => asked.set(what);

/** Does something that needs no question; what goes wrong is said. */
export async function act(request: Request, done: string, after?: (answer: unknown) => void) {
  try {
    const answer = await ask<unknown>(request);
    say(done);
    after?.(answer);
  } catch (error) {
    say(`${(error as Error).message}.`);
  }
}

/** Where the dialog appears; once in the page. */
export function ActionHost() {
  const what = useStore(asked);
  if (what === undefined) return null;
  return <ActionDialog what={what} close={() => asked.set(undefined)} />;
}

function ActionDialog({ what, close }: { what: Asked; close: () => void }) {
  const { fields = [] } = what;
  const [values, change] = useState(() => initialOf(fields));
  const [trouble, setTrouble] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    setTrouble(undefined);
    try {
      const answer = await ask<unknown>(what.request(values));
      close();
      say(what.done);
      what.after?.(answer);
    } catch (error) {
      // What was typed stays.
      setTrouble((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog title={what.title} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {what.says !== undefined && <div class="says">{what.says}</div>}
        <Fields fields={fields} values={values} change={change} />
        {trouble !== undefined && (
          <p class="trouble" role="alert">
            {trouble}.
          </p>
        )}
        <SameByHttp request={() => what.request(values)} />
        <Buttons what={what} isBusy={isBusy} close={close} />
      </form>
    </Dialog>
  );
}

function Buttons({ what, isBusy, close }: { what: Asked; isBusy: boolean; close: () => void }) {
  return (
    <div class="buttons">
      <button type="button" onClick={close}>
        Leave it
      </button>
      <button
        type="submit"
        class={what.isDangerous === true ? "danger" : "primary"}
        disabled={isBusy}
        autofocus={(what.fields ?? []).length === 0}
      >
        {isBusy ? "…" : what.verb}
      </button>
    </div>
  );
}

/** The same request for a script. */
export function SameByHttp({ request }: { request: () => Request }) {
  let text: string;
  try {
    const { method, path, body } = request();
    text = `${method} ${path}${body === undefined ? "" : `\n${laidOut(writeJson(body)!)}`}`;
  } catch (error) {
    text = (error as Error).message;
  }
  return (
    <details class="same">
      <summary>The same over HTTP</summary>
      <pre>{text}</pre>
    </details>
  );
}

/**
 * What was typed as JSON, byte for byte; the error says where it is not. If it is what the form has
 * shown of `before`, it is that text, whose white space the form does not show.
 */
export function jsonFrom(text: string, name: string, before?: RawJson): RawJson {
  if (before !== undefined && text === laidOut(before.text)) return before;
  try {
    return rawJson(text);
  } catch (error) {
    throw new Error(`${name} is not JSON: ${(error as Error).message}`);
  }
}
