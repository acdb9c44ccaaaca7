// The gallery: every page and block with sample data.
//
// `npx vite build --config gallery/vite.config.ts` puts it into gallery/dist; `npx vite --config …` serves it.

import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import solid from "vite-plugin-solid";

const here = fileURLToPath(new URL(".", import.meta.url));

export default defineConfig({
  root: here,
  publicDir: `${here}../public`,
  base: "./",
  plugins: [madeUpState(), solid()],
  define: { __VERSION__: '"gallery"' },
  build: { outDir: `${here}dist`, emptyOutDir: true, reportCompressedSize: false, assetsInlineLimit: 0 },
});

/** Components import the state module; here a fake takes its place. */
function madeUpState(): Plugin {
  return {
    name: "made-up-state",
    enforce: "pre",
    async resolveId(source, importer, options) {
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      return found?.id.endsWith("/src/state/index.ts") ? `${here}state.ts` : found;
    },
  };
}
