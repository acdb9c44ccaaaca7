// How the page is built, and two things that the browser's policy requires.
//
// The server allows scripts and styles only from itself and demands Trusted
// Types: so nothing is inlined, and Solid's templates go through their own policy, `solid`, which nothing else can use.

import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";
import solid from "vite-plugin-solid";

export default defineConfig({
  plugins: [solid(), trustedTemplates()],
  define: { __VERSION__: JSON.stringify(serverVersion()) },
  worker: { format: "es" },
  build: {
    outDir: "../src/voxpilot/static",
    emptyOutDir: true,
    target: ["chrome111", "firefox128", "safari16.4"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});

/** Solid creates elements from HTML that its compiler wrote; the policy tells the browser so. */
function trustedTemplates(): Plugin {
  const before = "t.innerHTML = html;";
  const policy =
    'const solidPolicy = globalThis.trustedTypes?.createPolicy("solid", { createHTML: (html) => html });\n';
  return {
    name: "trusted-templates",
    enforce: "pre",
    transform(code, id) {
      if (!/solid-js\/web\/dist\/(web|dev)\.js/.test(id)) return undefined;
      if (!code.includes(before)) throw new Error("Solid's template() has changed; see vite.config.ts.");
      const after = "t.innerHTML = solidPolicy ? solidPolicy.createHTML(html) : html;";
      return { code: policy + code.replace(before, after), map: null };
    },
  };
}

function serverVersion(): string {
  const source = readFileSync(new URL("../src/voxpilot/__init__.py", import.meta.url), "utf-8");
  const version = /__version__ = "([^"]+)"/.exec(source)?.[1];
  if (version === undefined) throw new Error("No version in src/voxpilot/__init__.py.");
  return version;
}
