import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { sha256Of } from '../builders.ts';
import { awayFromMidnight } from '../until.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import type { Person } from './rig/person.ts';

const run = promisify(execFile);
const DAY_MS = 86_400_000;

describe('a feed', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  before(async () => {
    await awayFromMidnight();
    await rig.admin.addService({ slug: 'ply' });
    const { token } = await rig.admin.addAccount({
      name: 'reporter',
      roles: ['researcher'],
      services: ['ply'],
    });
    const reporter = rig.clientOf(token);
    for (const [host, tag] of [
      ['a1', 'asyncrat'],
      ['a2', 'asyncrat'],
      ['b1', "bob's tool"],
    ] as const) {
      const { id } = await reporter.createReport('ply', {
        c2Address: `${host}.example:4444`,
        file256Hash: sha256Of(host),
        tags: [tag],
      });
      if (host === 'a2') await reporter.setStatus('ply', id, { status: 'acknowledged' });
    }
  });

  const rows = (person: Person) =>
    person.page.getByRole('grid', { name: 'Reports' }).getByRole('row');

  /** Waits until the feed lists exactly these hosts, newest first. */
  async function lists(person: Person, ...hosts: readonly string[]): Promise<void> {
    for (const [index, host] of hosts.entries())
      await rows(person)
        .nth(index + 1)
        .filter({ hasText: `${host}[.]example` })
        .waitFor();
    await rows(person)
      .nth(hosts.length + 1)
      .waitFor({ state: 'detached' });
  }

  const filtersOf = (person: Person) => Object.fromEntries(new URL(person.page.url()).searchParams);

  it('is filtered by chips that are in the address, and by back and forward', async () => {
    const person = await rig.person();
    const page = await person.open('/feeds/ply');
    await lists(person, 'b1', 'a2', 'a1');
    await page.getByLabel('Filter by', { exact: true }).selectOption('Tag');
    await page.getByLabel('Tag to filter by').fill('asyncrat');
    await page.keyboard.press('Enter');
    await lists(person, 'a2', 'a1');
    await page.getByLabel('Filter by', { exact: true }).selectOption('Status');
    await person.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await lists(person, 'a1');
    assert.deepEqual(filtersOf(person), { tag: 'asyncrat', status: 'open' });

    await page.goBack();
    await lists(person, 'a2', 'a1');
    await page.goForward();
    await lists(person, 'a1');
    const copied = page.url();
    await person.button('Remove the filter Tag asyncrat').click();
    await lists(person, 'b1', 'a1');
    await person.open(new URL(copied).pathname + new URL(copied).search);
    await lists(person, 'a1');
    await person.button('Remove all').click();
    await lists(person, 'b1', 'a2', 'a1');

    await person.open('/feeds/ply?tag=nothing');
    await person.heading('No report matches').waitFor();
    await person.button('Remove all filters').click();
    await lists(person, 'b1', 'a2', 'a1');
  });

  it('is filtered by its plots, by pointer and by keyboard', async () => {
    const person = await rig.person();
    const page = await person.open('/feeds/ply');
    await lists(person, 'b1', 'a2', 'a1');
    const outcome = page.getByRole('list', { name: 'Reports by status' });
    await outcome.getByRole('button', { name: /acknowledged/ }).click();
    await lists(person, 'a2');
    await outcome.getByRole('button', { name: /acknowledged/, pressed: true }).click();
    await lists(person, 'b1', 'a2', 'a1');
    await page
      .getByRole('list', { name: /^Reports by name/ })
      .getByRole('button', { name: /asyncrat/i })
      .press('Enter');
    await lists(person, 'a2', 'a1');
    await person.button(/^Remove the filter Name/).click();

    const today = new Date().toISOString().slice(0, 10);
    const days = page.getByRole('slider', { name: /^Reports and answers per day/ });
    await days.press('ArrowLeft');
    assert.match((await days.getAttribute('aria-valuetext')) ?? '', /Reported 0/);
    await days.press('Enter');
    await person.heading('No report matches').waitFor();
    await days.press('ArrowRight');
    await days.press('Enter');
    await lists(person, 'b1', 'a2', 'a1');
    assert.deepEqual(filtersOf(person), {
      created_after: `${today}T00:00:00Z`,
      created_before: `${dayAfter(today)}T00:00:00Z`,
    });
    await person.button('Remove all').click();

    // The bar of today is the last one.
    const box = await days.locator('.u-over').boundingBox();
    assert.ok(box);
    await page.mouse.click(box.x + box.width - 4, box.y + box.height / 2);
    await person.button(/^Remove the filter From/).waitFor();
    assert.equal(filtersOf(person)['created_after'], `${today}T00:00:00Z`);
    await lists(person, 'b1', 'a2', 'a1');
    await person.button('Remove all').click();
    await person.button('7 d').click();
    await page.waitForURL(/created_after=/);
  });

  it('gives lines that a shell runs', async () => {
    const person = await rig.researcher({ services: ['ply'] });
    const page = await person.open(`/feeds/ply?tag=${encodeURIComponent("bob's tool")}`);
    await lists(person, 'b1');
    await person.button('Use this feed').click();
    const panel = page.getByRole('region', { name: 'Use this feed' });
    const command = async (title: string) => {
      await panel.getByRole('button', { name: title, exact: true }).click();
      const pasted = panel.getByRole('article', { name: title }).locator('pre');
      return pasted.first().textContent();
    };
    const folder = rig.installation.dataDir;
    const paste = async (line: string | null, options = '-fsS') => {
      const shell = String(line).replace(/^curl/, `curl ${options}`);
      const env = { PATH: process.env['PATH'], TOKEN: person.token };
      return (await run('sh', ['-c', shell], { env, cwd: folder })).stdout;
    };
    const list = JSON.parse(await paste(await command('Pages of this list')));
    assert.deepEqual(
      list.reports.map(({ c2Address }: { c2Address: string }) => c2Address),
      ['b1.example:4444'],
    );
    assert.equal(JSON.parse(await paste(await command('Changes'))).changes.length, 4);
    assert.equal(JSON.parse(await paste(await command('Figures'))).statuses.acknowledged, 1);
    // It does not end by itself.
    const stream = await paste(await command('Stream'), '-fsS --max-time 1').catch(
      ({ code, stdout }) => ({ code, stdout }),
    );
    assert.equal((stream as { code: number }).code, 28, 'the stream stays open');
    const report = { c2Address: 'c1.example:1', file256Hash: sha256Of('c1') };
    writeFileSync(join(folder, 'reports.ndjson'), `${JSON.stringify(report)}\n`);
    assert.match(await paste(await command('Report many at once')), /"successful":true|"id":/);
    assert.match(await paste(await command('Webhook')), /"secret":"whsec_/);
    // What is copied is what is shown.
    await person.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const shown = await command('Pages of this list');
    await panel.getByRole('button', { name: 'Copy Shell' }).click();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), shown);
  });

  it('is used together with all others', async () => {
    const person = await rig.researcher();
    const page = await person.open('/feeds');
    await person.button('Use all feeds').click();
    const panel = page.getByRole('region', { name: 'Use all feeds' });
    await panel.getByRole('button', { name: 'NDJSON', exact: true }).click();
    await panel.getByText('/feed/all/export/ndjson').first().waitFor();
    await panel.getByRole('region', { name: 'Preview' }).getByText('b1.example').first().waitFor();
    assert.equal(await panel.getByRole('button', { name: 'Report many at once' }).count(), 0);
  });

  it('previews every format, and downloads it', async () => {
    const person = await rig.researcher();
    const page = await person.open('/feeds/ply');
    await person.button('Use this feed').click();
    const panel = page.getByRole('region', { name: 'Use this feed' });
    const previewed: string[] = [];
    // The panel is loaded when it is opened.
    await panel.getByRole('navigation').waitFor();
    for (const option of await panel.getByRole('navigation').getByRole('button').all()) {
      await option.click();
      const title = String(await option.textContent());
      if ((await panel.getByRole('link', { name: 'Download' }).count()) === 0) continue;
      await panel.getByRole('region', { name: 'Preview' }).locator('pre').waitFor();
      const text = await panel.getByRole('region', { name: 'Preview' }).textContent();
      assert.match(String(text), /example|[0-9a-f]{64}|\d/, title);
      previewed.push(title);
    }
    assert.ok(previewed.length >= 14, previewed.join());
    const download = page.waitForEvent('download');
    await panel.getByRole('button', { name: 'NDJSON', exact: true }).click();
    await panel.getByRole('link', { name: 'Download' }).click();
    const file = await (await download).path();
    assert.match(readFileSync(file, 'utf8'), /b1\.example:4444/);
  });
});

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}
