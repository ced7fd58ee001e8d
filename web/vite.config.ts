import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { API_PATHS } from './build/api-paths.ts';
import { styleHashes } from './build/style-hashes.ts';
import { webFiles } from './build/web-files.ts';

/** The API in development: the server that `npm start` runs. */
const API = process.env['RAPSHEET_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), styleHashes(), webFiles()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // A file in the HTML or the script would need its own entry in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A slow machine is no reason to print something at each `npm ci`.
    rolldownOptions: { checks: { pluginTimings: false, bundlerTimings: false } },
  },
  server: {
    port: 5173,
    // The host stays that of the page: the server accepts a session only from its own origin.
    proxy: { [API_PATHS]: { target: API, changeOrigin: false } },
  },
});
