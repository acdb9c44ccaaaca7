// A spinner, shown only while something is running.
import type { JSX } from "solid-js";

export function Spinner(props: { label?: string }): JSX.Element {
  return (
    <span class="spinner" role={props.label ? "img" : undefined} aria-label={props.label} aria-hidden={!props.label} />
  );
}
