// URLs of our own scripts, in the form the browser's policy requires.
//
// Lives here: the `voxpilot` Trusted Types policy, which lets only files of the
// build through. Lives elsewhere: the policies for templates (vite.config.ts)
// and for markdown (markdown/).

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): {
    createScriptURL(url: string): string;
  };
}

const rules = {
  createScriptURL(url: string): string {
    const { origin, pathname } = new URL(url, location.href);
    if (origin === location.origin && pathname.startsWith("/assets/")) return url;
    throw new TypeError(`Not one of our scripts: ${url}`);
  },
};
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy("voxpilot", rules) ?? rules;

/** The address of one of our workers. */
export function workerUrl(url: string): string {
  return policy.createScriptURL(url);
}
