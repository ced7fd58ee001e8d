import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { fixture } from '../analysis/fixture.ts';
import { uploadAndWait } from '../e2e/server-setup.ts';
import { violationsOf } from './rig/axe.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import type { Person } from './rig/person.ts';
import { isQuiet } from './rig/quiet.ts';

const C2 = 'async.example.invalid:6606';

type Open = (page: Page) => Promise<unknown>;

const OVERLAYS = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]:not([hidden])';

/** What opens on top of a page, by its path. Escape closes all of it. */
function overlays(person: Person): Readonly<Record<string, Readonly<Record<string, Open>>>> {
  const button = (name: string | RegExp) => () => person.button(name).first().click();
  const choice = (menu: string | RegExp, entry: RegExp) => () => person.choose(menu, entry);
  return {
    '/': {
      'account menu': button(`Account ${person.name}`),
      suggestions: (page) => page.getByRole('combobox', { name: 'Search' }).fill('asyncrat'),
    },
    '/desk/ply': {
      shortcuts: (page) => page.keyboard.press('?'),
      rejection: (page) => page.keyboard.press('r'),
      'more reports rejected': async (page) => {
        for (const key of ['x', 'j', 'x', 'r']) await page.keyboard.press(key);
      },
    },
    '/desk/ply?view=webhooks': { 'new webhook': button('Add a webhook') },
    '/files/HASH': { 'copy menu': button(/^Copy .*:6606/), more: button('More') },
    '/feeds/ply/reports/ID': { 'deletion question': button('Delete') },
    '/account': { 'new token': button('New token'), revocation: button('Revoke') },
    '/admin?section=services': { 'new service': button('New service'), edit: button('Edit ply') },
    '/admin?section=accounts': {
      'new account': button('New account'),
      menu: button(/^Actions for/),
      edit: choice('Actions for reporter', /^Edit/),
      link: choice('Actions for reporter', /link/),
      question: choice('Actions for reporter', /^Disable/),
    },
    '/admin?section=audit': {
      entry: (page) => page.getByRole('row').nth(1).getByRole('button').click(),
    },
  };
}

describe('accessibility', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  let hash = '';
  let id = '';
  before(async () => {
    await rig.admin.addService({ slug: 'ply', hosts: ['*.example.invalid'] });
    const { token } = await rig.admin.addAccount({ name: 'reporter', roles: ['researcher'] });
    const reporter = rig.clientOf(token);
    const file = new Blob([Uint8Array.from(fixture('analysis/families/asyncrat-plain.exe'))]);
    hash = (await uploadAndWait(reporter, file, 'asyncrat.exe')).sha256Hash;
    const report = { c2Address: C2, file256Hash: hash, tags: ['asyncrat', 'rat'] };
    id = (await reporter.createReport('ply', report)).id;
    await reporter.createReport('ply', { ...report, c2Address: 'b.example.invalid:1' });
  });

  const pages = () => [
    '/',
    '/find?q=asyncrat',
    '/find?q=nothing',
    ...['', 'settings', 'structure', 'evidence', 'inside', 'similar', 'reports', 'json'].map(
      (tab) => `/files/${hash}?tab=${tab}`,
    ),
    `/files/${'0'.repeat(64)}`,
    `/c2/${C2}`,
    '/hosts/async.example.invalid',
    '/feeds',
    '/feeds/ply',
    '/feeds/ply?status=open&tag=rat',
    '/feeds/ply?tag=nothing',
    `/feeds/ply/new?c2=${C2}&hash=${hash}`,
    `/feeds/ply/reports/${id}`,
    '/feeds/ply/nothing',
    '/feeds/ply/scorecard',
    '/reporters/reporter',
    '/upload',
    '/desk/ply',
    '/desk/ply?status=rejected',
    '/desk/ply?view=webhooks',
    '/desk/ply?view=hosts',
    '/desk/ply?confirmation=contradicted',
    '/account',
    '/admin',
    ...['services', 'accounts', 'queue', 'workers', 'audit', 'settings'].map(
      (section) => `/admin?section=${section}`,
    ),
  ];

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has no violation on the pages of an account, ${colorScheme}`, async () => {
      const person = await rig.person({
        roles: ['researcher', 'admin'],
        services: ['ply'],
        colorScheme,
        bypassCSP: true,
      });
      person.watch.allow(404, /^\/private\/sample\//);
      const violations: Record<string, readonly string[]> = {};
      for (const path of pages()) {
        const page = await person.open(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await isQuiet(page);
        const found = await violationsOf(page);
        if (found.length > 0) violations[path] = found;
      }
      assert.deepEqual(violations, {});
    });

    it(`has no violation in dialogs, menus and panels, ${colorScheme}`, async () => {
      const person = await rig.person({
        roles: ['researcher', 'admin'],
        services: ['ply'],
        colorScheme,
        bypassCSP: true,
      });
      const violations: Record<string, readonly string[]> = {};
      for (const [path, opened] of Object.entries(overlays(person))) {
        const page = await person.open(path.replace('ID', id).replace('HASH', hash));
        await page.getByRole('heading', { level: 1 }).waitFor();
        await isQuiet(page);
        for (const [name, open] of Object.entries(opened)) {
          await open(page);
          const overlay = page.locator(OVERLAYS).first();
          await overlay.waitFor();
          await isQuiet(page);
          const found = await violationsOf(page);
          if (found.length > 0) violations[`${path}: ${name}`] = found;
          await page.keyboard.press('Escape');
          await overlay.waitFor({ state: 'hidden' });
        }
      }
      assert.deepEqual(violations, {});
    });

    it(`has no violation on the pages before signing in, ${colorScheme}`, async () => {
      const person = await rig.stranger({ colorScheme, bypassCSP: true });
      for (const path of ['/', '/sign-in', '/welcome', '/welcome#ral_x', '/feeds/a/b/c']) {
        const page = await person.open(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await isQuiet(page);
        assert.deepEqual(await violationsOf(page), [], path);
      }
    });
  }
});
