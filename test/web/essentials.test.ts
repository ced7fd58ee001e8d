import { describe, it } from 'node:test';
import { allowedOrigin, testAllowedOrigin } from './essentials/allowed-origin.ts';
import { testOtherOrigins } from './essentials/cross-origin.ts';
import { testReferencePage } from './essentials/reference.ts';
import { testSigningIn } from './essentials/sign-in.ts';
import { whyNoBrowser } from './harness/browser.ts';
import { takeDownFromFile } from './harness/journey.ts';
import { openStage } from './harness/stage.ts';

// What `npm test` runs of the web application. The suites share a server and a browser, whose start
// is most of the cost of a small suite.
const stage = openStage(async () => ({ RAPSHEET_CORS_ORIGINS: await allowedOrigin() }));

describe('signing in', { skip: whyNoBrowser }, () => testSigningIn(stage));

describe('a page of another origin', { skip: whyNoBrowser }, () => testOtherOrigins(stage));

describe('a page of an allowed origin', { skip: whyNoBrowser }, () => testAllowedOrigin(stage));

describe('the reference page', { skip: whyNoBrowser }, () => testReferencePage(stage));

describe('a researcher and a desk, on SQLite', { skip: whyNoBrowser }, () => {
  it('take a C2 down that was found in a file', () => takeDownFromFile(stage));
});
