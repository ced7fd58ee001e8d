import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { sha256Of } from '../builders.ts';
import { violationsOf } from './rig/axe.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import { isQuiet } from './rig/quiet.ts';

const WIDTH = 360;
const HASH = sha256Of('lantern');
const LONG = `${'a-long-label-of-a-host.'.repeat(3)}evil.example:54984`;

async function isOnScreen(part: Locator): Promise<boolean> {
  const box = await part.boundingBox();
  return box !== null && box.x >= 0 && box.x + box.width <= WIDTH;
}

const widthOf = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth');

/**
 * Whether no box around the shown port cuts a part of it. Code of the page is text, because these
 * files are checked without the types of a browser.
 */
const IS_PORT_WHOLE = `(() => {
  const part = [...document.querySelectorAll('main span')].find(
    (each) => each.textContent === ':54984' && each.getClientRects().length > 0,
  );
  const { left, right } = part.getBoundingClientRect();
  for (let box = part.parentElement; box !== null; box = box.parentElement) {
    const edges = box.getBoundingClientRect();
    const cuts = getComputedStyle(box).overflowX !== 'visible';
    if (cuts && (left < edges.left - 1 || right > edges.right + 1)) return false;
  }
  return true;
})()`;

/** The elements of the page that the button for new reports overlaps. */
const COVERED = `(() => {
  const pill = [...document.querySelectorAll('main button')].find((one) => / new$/.test(one.textContent));
  const { left, right, top, bottom } = pill.getBoundingClientRect();
  const others = document.querySelectorAll('main a, main button, main input, main select, main [role=row], main [role=columnheader], main li');
  return [...others]
    .filter((one) => one !== pill && one.getClientRects().length > 0)
    .filter((one) => {
      const box = one.getBoundingClientRect();
      return box.left < right && box.right > left && box.top < bottom - 1 && box.bottom > top + 1;
    })
    .map((one) => one.outerHTML.slice(0, 120));
})()`;

describe('a narrow screen', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  before(async () => {
    await rig.admin.addService({ slug: 'ply', hosts: ['*.evil.example'] });
    await rig.importAnalysis('lantern');
  });

  async function phone() {
    const person = await rig.person({ roles: ['researcher'], services: ['ply'] });
    const page = await person.open('/');
    await page.setViewportSize({ width: WIDTH, height: 740 });
    return person;
  }

  it('shows every digit of the port of a long address', async () => {
    const person = await phone();
    const report = { c2Address: LONG, file256Hash: HASH, tags: ['rat'] };
    const { id } = await person.client.createReport('ply', report);
    for (const path of [
      '/',
      '/feeds/ply',
      '/desk/ply',
      `/find?q=${encodeURIComponent(LONG)}`,
      `/c2/${encodeURIComponent(LONG)}`,
      `/feeds/ply/reports/${id}`,
    ]) {
      const page = await person.open(path);
      await page.locator('main').getByText(':54984', { exact: true }).first().waitFor();
      assert.equal(await page.evaluate<boolean>(IS_PORT_WHOLE), true, path);
      assert.ok((await widthOf(page)) <= WIDTH, path);
    }
  });

  it('has targets for fingers, and no region that the keyboard cannot scroll', async () => {
    const person = await rig.person({
      roles: ['researcher', 'admin'],
      services: ['ply'],
      bypassCSP: true,
    });
    const tags = ['a-rather-long-tag-of-a-campaign', 'phishing', 'rat'];
    for (const port of [1, 2, 3])
      await person.client.createReport('ply', {
        c2Address: `targets.evil.example:${port}`,
        file256Hash: HASH,
        tags,
      });
    await person.open('/');
    await person.page.setViewportSize({ width: WIDTH, height: 740 });
    const violations: Record<string, readonly string[]> = {};
    for (const path of [
      '/',
      '/find?q=rat',
      `/find?q=${HASH}`,
      '/find?q=targets.evil.example',
      '/feeds',
      '/feeds/ply',
      '/desk/ply',
      '/upload',
      '/account',
      ...['services', 'accounts', 'audit', 'settings'].map((one) => `/admin?section=${one}`),
    ]) {
      const page = await person.open(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await isQuiet(page);
      const found = await violationsOf(page);
      if (found.length > 0) violations[path] = found;
    }
    assert.deepEqual(violations, {});
  });

  it('covers nothing with the button for new reports', async () => {
    const report = (port: number) => ({
      c2Address: `new.evil.example:${port}`,
      file256Hash: HASH,
    });
    let port = 1;
    for (const path of ['/feeds/ply', '/desk/ply'])
      for (const width of [WIDTH, 1280]) {
        // Each in a browser of its own: the worker of the stream may end with the page before.
        const person = await rig.person({ roles: ['researcher'], services: ['ply'] });
        const page = await person.open('about:blank');
        await page.setViewportSize({ width, height: 740 });
        await person.client.createReport('ply', report(port));
        port += 1;
        await person.open(path);
        await page.getByText('new[.]evil[.]example').first().waitFor();
        await isQuiet(page);
        await person.client.createReport('ply', report(port));
        port += 1;
        const pill = person.button('1 new');
        await pill.waitFor();
        assert.deepEqual(await page.evaluate(COVERED), [], `${path} at ${width}`);
      }
  });

  it('keeps what a page says about a file inside the page', async () => {
    const person = await phone();
    const page = await person.open(`/files/${sha256Of('a file that nobody has sent')}`);
    await person.heading('No analysis of this file').waitFor();
    assert.ok((await widthOf(page)) <= WIDTH);
  });

  it('shows the button that revokes a token, and the chosen view of the desk', async () => {
    const person = await phone();
    const page = await person.open('/account');
    const revoke = page.getByRole('button', { name: 'Revoke' }).first();
    await revoke.waitFor();
    assert.equal(await isOnScreen(revoke), true);
    await person.open('/desk/ply?view=hosts');
    const view = page.locator('main a[aria-current=page]');
    await view.waitFor();
    assert.equal(await view.textContent(), 'hosts');
    assert.equal(await isOnScreen(view), true);
  });
});
