// A URL as a QR code for another device's camera.
import { createMemo, Show, type JSX } from "solid-js";

import { qrCode } from "./qr";

/** The quiet border that readers need, in modules. */
const BORDER = 4;

export function QrCode(props: { text: string; label: string }): JSX.Element {
  const rows = createMemo(() => qrCode(props.text));
  const size = () => (rows()?.length ?? 0) + 2 * BORDER;
  const path = () =>
    (rows() ?? [])
      .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + BORDER} ${y + BORDER}h1v1h-1z` : "")))
      .join("");
  return (
    <Show when={rows()}>
      <svg class="qr" viewBox={`0 0 ${size()} ${size()}`} role="img" aria-label={props.label} shape-rendering="crispEdges">
        <rect class="qr-ground" width={size()} height={size()} />
        <path class="qr-dark" d={path()} />
      </svg>
    </Show>
  );
}
