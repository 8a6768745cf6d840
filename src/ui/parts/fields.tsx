import { useId } from "preact/hooks";

/** What a form asks for. */
export interface Field {
  name: string;
  label: string;
  kind?: "text" | "number" | "area" | "choice";
  initial?: string;
  hint?: string;
  isNeeded?: boolean;
  /** Of a choice; of a text, what it could be. */
  options?: readonly string[];
}

export type Values = Readonly<Record<string, string>>;

export const initialOf = (fields: readonly Field[]): Values =>
  Object.fromEntries(fields.map(({ name, initial = "" }) => [name, initial]));

export function Fields(props: {
  fields: readonly Field[];
  values: Values;
  change: (values: Values) => void;
}) {
  return (
    <div class="fields">
      {props.fields.map((field) => (
        <OneField
          key={field.name}
          field={field}
          value={props.values[field.name] ?? ""}
          change={(value) => props.change({ ...props.values, [field.name]: value })}
        />
      ))}
    </div>
  );
}

function OneField(props: { field: Field; value: string; change: (value: string) => void }) {
  const { field, value } = props;
  const id = useId();
  const hint = field.hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{field.label}</label>
      <Control id={id} hint={hint} field={field} value={value} change={props.change} />
      {hint !== undefined && (
        <small id={hint} class="hint">
          {field.hint}
        </small>
      )}
    </div>
  );
}

function Control(props: {
  id: string;
  hint: string | undefined;
  field: Field;
  value: string;
  change: (value: string) => void;
}) {
  const { id, hint, value } = props;
  const { name, kind = "text", options, isNeeded = false } = props.field;
  const common = { id, name, value, required: isNeeded, "aria-describedby": hint };
  const onInput = (event: { currentTarget: { value: string } }) =>
    props.change(event.currentTarget.value);
  if (kind === "area")
    return <textarea {...common} rows={8} spellcheck={false} onInput={onInput} />;
  if (kind === "choice") {
    return (
      <select {...common} onInput={onInput}>
        {options?.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    );
  }
  const list = options === undefined ? undefined : `${id}-list`;
  return (
    <>
      <input
        {...common}
        list={list}
        type={kind}
        step={kind === "number" ? "any" : undefined}
        autocomplete="off"
        onInput={onInput}
      />
      {list !== undefined && (
        <datalist id={list}>
          {options?.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </>
  );
}
