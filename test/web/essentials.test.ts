import { describe, it } from 'node:test';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import { takeDownFromFile } from './rig/journey.ts';

// What `npm test` runs of the web application: each page takes a second of processor time.
const rig = openBrowserRig();

describe('a researcher and a desk, on SQLite', { skip: whyNoBrowser }, () => {
  it('take a C2 down that was found in a file', () => takeDownFromFile(rig));
});
