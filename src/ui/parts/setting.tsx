import { useState } from "preact/hooks";
import { ask } from "../lib/api.ts";
import { setConfig, unsetConfig } from "../lib/deeds.ts";
import { length } from "../lib/format.ts";
import { may } from "../lib/session.ts";
import { say } from "./toasts.tsx";

/** A setting that is changed in its place: what was typed stays until the server has taken it. */
export function Setting(props: {
  name: string;
  label: string;
  value: string | number | undefined;
  usual: string;
  hint: string;
  /** Whether it is a length of time, in seconds. */
  isLength?: boolean;
  queue?: string;
  refresh: () => void;
}) {
  const { name, label, value, usual, queue } = props;
  const [typed, type] = useState<string>();
  const [trouble, setTrouble] = useState<string>();
  const change = async (text: string | undefined) => {
    const number = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
    const given = Number.isNaN(number) ? (text ?? "") : number;
    const request = text === undefined ? unsetConfig(name, queue) : setConfig(name, given, queue);
    try {
      await ask(request);
      type(undefined);
      setTrouble(undefined);
      say(text === undefined ? `${label} is back to its default` : `${label} is now ${text}`);
      props.refresh();
    } catch (error) {
      setTrouble((error as Error).message);
    }
  };
  return (
    <div class="setting">
      <span class="setting-name" id={`setting-${name}`}>
        {label}
      </span>
      {typed === undefined ? (
        <Shown
          {...{ label, value, usual, isLength: props.isLength === true }}
          edit={() => type(String(value ?? ""))}
          drop={() => void change(undefined)}
        />
      ) : (
        <EditForm {...{ name, typed, type }} save={() => void change(typed)} />
      )}
      <small class="hint">{props.hint}</small>
      {trouble !== undefined && (
        <p class="trouble" role="alert">
          {trouble}.
        </p>
      )}
    </div>
  );
}

function Shown(props: {
  label: string;
  value: string | number | undefined;
  usual: string;
  isLength: boolean;
  edit: () => void;
  drop: () => void;
}) {
  const { label, value, usual } = props;
  const seconds = Number(value ?? usual);
  const isSet = value !== undefined && String(value) !== usual;
  return (
    <span class="setting-value">
      <strong>{value ?? usual}</strong>
      {props.isLength && seconds >= 60 && <span class="quiet"> {length(seconds)}</span>}
      {!isSet && <span class="quiet"> default</span>}
      {may("admin") && (
        <>
          <button
            type="button"
            class="quiet-button"
            onClick={props.edit}
            aria-label={`Change ${label}`}
          >
            Change
          </button>
          {isSet && (
            <button
              type="button"
              class="quiet-button"
              onClick={props.drop}
              aria-label={`${label} back to its default`}
            >
              Default
            </button>
          )}
        </>
      )}
    </span>
  );
}

function EditForm(props: {
  name: string;
  typed: string;
  type: (text: string | undefined) => void;
  save: () => void;
}) {
  return (
    <form
      class="setting-form"
      onSubmit={(event) => {
        event.preventDefault();
        props.save();
      }}
    >
      <input
        aria-labelledby={`setting-${props.name}`}
        value={props.typed}
        autofocus
        onInput={(event) => props.type(event.currentTarget.value)}
      />
      <button type="submit" class="primary">
        Save
      </button>
      <button type="button" onClick={() => props.type(undefined)}>
        Leave it
      </button>
    </form>
  );
}
