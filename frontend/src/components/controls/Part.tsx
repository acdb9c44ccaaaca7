// An error boundary: if this part cannot be drawn, the rest stays, and its data is shown.
import { ErrorBoundary, type JSX } from "solid-js";

import type { Json } from "../../state";
import { JsonText } from "../tool/JsonText";
import { labels } from "./labels";

export function Part(props: {
  /** The data drawn here, to show if drawing fails. */
  value?: () => unknown;
  children: JSX.Element;
}): JSX.Element {
  return (
    <ErrorBoundary
      fallback={(error: unknown) => {
        console.error(labels.brokenPart, error);
        return <BrokenPart value={props.value} />;
      }}
    >
      {props.children}
    </ErrorBoundary>
  );
}

function BrokenPart(props: { value: (() => unknown) | undefined }): JSX.Element {
  return (
    <div class="broken-part" role="note" data-testid="broken-part">
      <p>{labels.brokenPart}</p>
      <details>
        <summary>{labels.rawData}</summary>
        <JsonText value={readable(props.value)} label={labels.rawData} />
      </details>
    </div>
  );
}

function readable(value: (() => unknown) | undefined): Json {
  try {
    return JSON.stringify(value?.(), null, 2) ?? labels.noData;
  } catch {
    return labels.unreadableData;
  }
}
