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
      restoreMocks: true,
      unstubGlobals: true,
    },
  }),
);
