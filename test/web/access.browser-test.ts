import { describe } from 'node:test';
import { allowedOrigin, testAllowedOrigin } from './access/allowed-origin.ts';
import { testOtherOrigins } from './access/cross-origin.ts';
import { testReferencePage } from './access/reference.ts';
import { testSigningIn } from './access/sign-in.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';

// The suites share a server and a browser, whose start is most of the cost of a small suite.
const rig = openBrowserRig(async () => ({ RAPSHEET_CORS_ORIGINS: await allowedOrigin() }));

describe('signing in', { skip: whyNoBrowser }, () => testSigningIn(rig));

describe('a page of another origin', { skip: whyNoBrowser }, () => testOtherOrigins(rig));

describe('a page of an allowed origin', { skip: whyNoBrowser }, () => testAllowedOrigin(rig));

describe('the reference page', { skip: whyNoBrowser }, () => testReferencePage(rig));
