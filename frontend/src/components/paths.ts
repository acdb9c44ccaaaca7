// Short file paths.

/** The path relative to the workspace, or unchanged if it is elsewhere. */
export function within(workspace: string | undefined, path: string): string {
  const root = workspace?.replace(/\/+$/, "");
  if (!root) return path;
  if (path === root) return baseName(root);
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

export function baseName(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) || path;
}

/** The folder of a path with its slash, or nothing. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}
