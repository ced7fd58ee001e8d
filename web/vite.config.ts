import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { API_PATHS } from './build/api-paths.ts';
import { styleHashes } from './build/style-hashes.ts';
import { webFiles } from './build/web-files.ts';

/** The API in development: the server that `npm start` runs. */
const API = process.env['RAPSHEET_URL'] ?? 'http://127.0.0.1:8080';

/** react-aria, and the components that use it: loaded when a dialog or a menu is opened. */
const DIALOGS = /react-aria|react-stately|@internationalized|components\/overlays\/[\w-]*dialog/;

/** Shared by two or three pages, which are rarely the first. */
const RARE =
  /components\/(?:ownership|proposals)\/|pages\/(?:admin|c2|trust)\/|api\/(?:admin|ownership|proposals|upload\/[\w-]+)\.ts/;

/**
 * A first view loads the application, what pages share, and its page. By default each set of pages
 * has a file of its own for what only these pages share: some fifty requests for a page.
 */
const CHUNKS = [
  { name: 'app', tags: ['$initial' as const] },
  {
    name: 'shared',
    test: (id: string) => !DIALOGS.test(id) && !RARE.test(id),
    minShareCount: 2,
  },
  { name: 'dialogs', test: DIALOGS, minShareCount: 2 },
];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), styleHashes(), webFiles()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // A file in the HTML or the script would need its own entry in the content security policy.
    assetsInlineLimit: 0,
    // One style sheet of 12 kB, instead of some twenty small ones.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    // A slow machine is no reason to print something at each `npm ci`.
    rolldownOptions: {
      checks: { pluginTimings: false, bundlerTimings: false },
      output: { codeSplitting: { groups: CHUNKS } },
    },
  },
  server: {
    port: 5173,
    // The host stays that of the page: the server accepts a session only from its own origin.
    proxy: { [API_PATHS]: { target: API, changeOrigin: false } },
  },
});
