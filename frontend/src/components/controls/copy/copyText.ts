// Copying text to the clipboard, also over plain HTTP, where the clipboard API is missing.

/** False if the browser refused. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByHand(text);
  }
}

/** Copy through a temporary selected field. */
function copyByHand(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement("textarea");
  area.className = "unseen";
  area.value = text;
  area.readOnly = true;
  // Nothing outside an open dialog can be selected.
  (focused?.closest("dialog") ?? document.body).append(area);
  try {
    area.focus({ preventScroll: true });
    area.select();
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }
}
