import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

/** A dialog over the page: the browser keeps the focus in it, and Escape closes it. */
export function Dialog(props: {
  title: string;
  close: () => void;
  class?: string;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    return () => {
      // As long as it is open, nothing outside can have the focus.
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={props.class}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        props.close();
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{props.title}</h2>
        <button type="button" class="quiet-button" aria-label="Close" onClick={props.close}>
          ✕
        </button>
      </div>
      {props.children}
    </dialog>
  );
}
