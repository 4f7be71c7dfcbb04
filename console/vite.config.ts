import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// Built into the Python package; never committed as a build.
export default defineConfig({
  plugins: [react()],
  build: {
    outDir: resolve(import.meta.dirname, "../src/hashinsight/app/console_files"),
    emptyOutDir: true,
    target: "es2022",
    // data: addresses would need a wider content security policy
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8700" } },
});
