import { describe, it } from 'node:test';
import { allowedOrigin, testAllowedOrigin } from './essentials/allowed-origin.ts';
import { testOtherOrigins } from './essentials/cross-origin.ts';
import { testReferencePage } from './essentials/reference.ts';
import { testSigningIn } from './essentials/sign-in.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import { takeDownFromFile } from './rig/journey.ts';

// What `npm test` runs of the web application. The suites share a server and a browser, whose start
// is most of the cost of a small suite.
const rig = openBrowserRig(async () => ({ RAPSHEET_CORS_ORIGINS: await allowedOrigin() }));

describe('signing in', { skip: whyNoBrowser }, () => testSigningIn(rig));

describe('a page of another origin', { skip: whyNoBrowser }, () => testOtherOrigins(rig));

describe('a page of an allowed origin', { skip: whyNoBrowser }, () => testAllowedOrigin(rig));

describe('the reference page', { skip: whyNoBrowser }, () => testReferencePage(rig));

describe('a researcher and a desk, on SQLite', { skip: whyNoBrowser }, () => {
  it('take a C2 down that was found in a file', () => takeDownFromFile(rig));
});
