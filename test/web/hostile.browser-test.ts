import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { sha256Of, wireAnalysis } from '../builders.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import { isQuiet } from './rig/quiet.ts';

const MARKUP = '<img src=x onerror=hacked=1><script>hacked=1</script><a href=//evil.example>x</a>';
const BIDI = 'invoice\u202Egpj.exe';
const INVISIBLE = 'pay\u200Bpal\u0007\u2066';
const LONG = 'A'.repeat(64 * 1024);
const C2 = 'evil.example:4444';
const HASH = sha256Of('hostile');
/** Names of accounts, tags and notes must be visible text; markup is. */
const NAME = '<i onclick=hacked=1>x</i>';

const ANALYSIS = wireAnalysis('hostile', {
  fileName: `${MARKUP}${BIDI}`,
  tags: [
    { heat: 10, name: MARKUP.slice(0, 64) },
    { heat: 9, name: 'W'.repeat(64) },
  ],
  configs: {
    [MARKUP.slice(0, 64)]: {
      [MARKUP]: MARKUP,
      [BIDI]: BIDI,
      [INVISIBLE]: INVISIBLE,
      Link: 'https://evil.example/live',
      Script: 'javascript:hacked=1',
      Long: LONG,
      [LONG.slice(0, 2000)]: ['a', { b: MARKUP }],
    },
  },
});

/** What would run or leave the page, and whether something is wider than the screen. */
const INSPECT = `({
  hacked: typeof hacked,
  foreign: [...document.querySelectorAll('a[href]')]
    .map((link) => link.href)
    .filter((href) => new URL(href).origin !== location.origin),
  markup: [...document.querySelectorAll('main img, main script, main iframe, main [onclick]')]
    .map((one) => one.outerHTML),
  wide: document.documentElement.scrollWidth <= innerWidth
    ? []
    : [...document.querySelectorAll('main *')]
        .filter((one) => one.getBoundingClientRect().right > innerWidth)
        .slice(0, 5)
        .map((one) => one.outerHTML.slice(0, 200)),
})`;
const HARMLESS = { hacked: 'undefined', foreign: [], markup: [], wide: [] };

describe('hostile text', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  before(async () => {
    await rig.admin.addService({ slug: 'ply', name: NAME, hosts: ['evil.example'] });
    const { refusals } = await rig.admin.importSamples(`${JSON.stringify(ANALYSIS)}\n`);
    assert.deepEqual(refusals, []);
  });

  it('is inert and breaks no layout, on every page and on small and large screens', async () => {
    const person = await rig.person({
      name: NAME,
      roles: ['researcher', 'admin'],
      services: ['ply'],
    });
    const report = {
      c2Address: C2,
      file256Hash: HASH,
      tags: [MARKUP.slice(0, 64), 'W'.repeat(64), NAME],
      referenceLink: `https://evil.example/"><script>hacked=1</script>${'x'.repeat(1900)}`,
    };
    const { id } = await person.client.createReport('ply', report);
    await person.client.setStatus('ply', id, {
      status: 'acknowledged',
      note: `${MARKUP} ${'N'.repeat(800)}`,
    });
    await person.client.createReport('ply', report);
    const harmful: Record<string, unknown> = {};
    for (const path of [
      '/',
      `/files/${HASH}`,
      `/files/${HASH}?tab=settings`,
      `/files/${HASH}?tab=json`,
      `/find?q=${encodeURIComponent(MARKUP)}`,
      `/find?q=${HASH}`,
      `/c2/${C2}`,
      '/feeds',
      '/feeds/ply',
      `/feeds/ply?tag=${encodeURIComponent(MARKUP.slice(0, 64))}`,
      `/feeds/ply/reports/${id}`,
      `/feeds/ply/new?c2=${encodeURIComponent(MARKUP)}&hash=${HASH}`,
      '/desk/ply?status=acknowledged',
      '/desk/ply',
      '/account',
      '/admin',
    ]) {
      const page = await person.open(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await isQuiet(page);
        const found = await page.evaluate(INSPECT);
        if (!isDeepStrictEqual(found, HARMLESS)) harmful[`${path} at ${width}`] = found;
      }
    }
    assert.deepEqual(harmful, {});
  });

  it('shows marks that hide or reorder text, and keeps what is copied whole', async () => {
    const person = await rig.person();
    await person.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await person.open(`/files/${HASH}?tab=settings`);
    await person.sees('invoice⟨U+202E⟩gpj.exe');
    await person.sees('pay⟨U+200B⟩pal⟨U+0007⟩⟨U+2066⟩');
    assert.doesNotMatch((await page.locator('body').textContent()) ?? '', /[\u202E\u200B\u2066]/);
    const long = page
      .getByRole('row')
      .filter({ hasText: /characters/ })
      .first();
    await long.getByRole('button', { name: /Copy/ }).click();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), LONG);
  });
});
