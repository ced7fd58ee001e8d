import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { styleHashes } from './build/style-hashes.ts';
import { webFiles } from './build/web-files.ts';

/** The API in development: the server that `npm start` runs. */
const API = process.env['RAPSHEET_URL'] ?? 'http://127.0.0.1:8080';
/** Paths of the API; every other path is the application's. */
const API_PATHS =
  '^/(api|feed|private|admin/|session|services|route|search|livez|readyz|healthz|openapi.json|docs)';

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
  },
  server: {
    port: 5173,
    // The host of the request stays: a session is refused where it differs from the origin.
    proxy: { [API_PATHS]: { target: API, changeOrigin: false } },
  },
});
