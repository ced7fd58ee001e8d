import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { BrowserRig } from '../rig/browser-rig.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>;
}

export function testReferencePage(rig: BrowserRig): void {
  it('shows every operation, offline and with a strict CSP', async () => {
    const { url } = rig;
    const person = await rig.stranger();
    const external: string[] = [];
    await person.context.route('**/*', (route) => {
      const requested = route.request().url();
      if (requested.startsWith(url) || requested.startsWith('data:')) return route.continue();
      external.push(requested);
      return route.abort();
    });
    const page = await person.open('/docs');
    await page.locator('.operation').first().waitFor();
    const shown = (await page.textContent('body')) ?? '';
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    assert.ok(operations.length > 0);
    for (const { summary } of operations) assert.ok(shown.includes(summary), summary);
    assert.deepEqual(external, []);
    // It opens with a first call to this server.
    const start = (await page.locator('#start').textContent()) ?? '';
    assert.ok(start.includes(`export RAPSHEET_URL=${url} `), start);
    const path = (await person.link('Researcher').getAttribute('href')) ?? '';
    assert.match(await (await fetch(new URL(path, url))).text(), /^# Researcher/);
  });
}
