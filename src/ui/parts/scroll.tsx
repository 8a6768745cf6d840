import type { ComponentChildren } from "preact";

/** Something that may be larger than its frame. */
export function Scroll(props: { label: string; class: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever scrolls by keyboard must be able to focus it.
    <section class={props.class} tabIndex={0} aria-label={props.label}>
      {props.children}
    </section>
  );
}
