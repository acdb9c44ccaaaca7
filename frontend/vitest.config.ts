import { defineConfig, mergeConfig } from "vitest/config";

import page from "./vite.config.ts";

export default mergeConfig(
  page,
  defineConfig({
    resolve: { conditions: ["browser"] },
    test: {
      environment: "jsdom",
      include: ["src/**/*.test.{ts,tsx}"],
      // One document for all files: creating one takes longer than most tests. Each test restores it.
      isolate: false,
      pool: "threads",
      testTimeout: 20_000, // on a busy machine; no test promises to be faster
      restoreMocks: true,
      unstubGlobals: true,
    },
  }),
);
