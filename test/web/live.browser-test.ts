import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { RapsheetClient } from '../../src/client/client.ts';
import { sha256Of } from '../builders.ts';
import { freePort } from '../free-port.ts';
import { eventually } from '../until.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import type { Person } from './rig/person.ts';

describe('live pages', { skip: whyNoBrowser }, () => {
  let metricsPort = 0;
  const rig = openBrowserRig(async () => {
    metricsPort ||= await freePort();
    return { RAPSHEET_METRICS_PORT: String(metricsPort) };
  });
  const reporter = {} as { token: string; client: RapsheetClient };
  let reports = 0;
  before(async () => {
    await rig.admin.addService({ slug: 'ply' });
    const { token } = await rig.admin.addAccount({ name: 'reporter', roles: ['researcher'] });
    Object.assign(reporter, { token, client: rig.clientOf(token) });
    await report();
  });

  /** Creates a report and returns its id and how its address is shown. */
  async function report() {
    reports += 1;
    const body = { c2Address: `c${reports}.example:4444`, file256Hash: sha256Of('a file') };
    const { id } = await reporter.client.createReport('ply', body);
    return { id, shown: `c${reports}[.]example:4444` };
  }

  async function openStreams(): Promise<number> {
    const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    const text = await answer.text();
    return [...text.matchAll(/^rapsheet_stream_listeners(?:\{.*\})? (\d+)$/gm)]
      .map(([, value]) => Number(value))
      .reduce((sum, value) => sum + value, 0);
  }

  /** Waits until a report has arrived, in whatever way: a stream that starts reads the list. */
  async function isLive(person: Person): Promise<void> {
    await eventually(openStreams, (open) => open === 1);
    const { shown } = await report();
    const pill = person.button(/^1 new/);
    await person.page.getByText(shown).or(pill).first().waitFor();
    if (await pill.isVisible()) await pill.click();
    await pill.waitFor({ state: 'detached' });
  }

  it('announce new rows and move none, and show changes at once', async () => {
    const person = await rig.person({ services: ['ply'] });
    const page = await person.open('/feeds/ply');
    await page.getByRole('row').nth(1).waitFor();
    await isLive(person);
    const { id, shown } = await report();
    await person.button(/^1 new/).waitFor();
    assert.equal(await page.getByRole('row').filter({ hasText: shown }).count(), 0);
    await person.button(/^1 new/).click();
    const row = page.getByRole('row').filter({ hasText: shown });
    await row.getByText('open').waitFor();
    await person.client.setStatus('ply', id, { status: 'acknowledged' });
    await row.getByText('acknowledged').waitFor();
    await person.open('/desk/ply');
    await page.getByRole('listitem').first().waitFor();
    await isLive(person);
    const next = await report();
    await person.button(/^1 new/).click();
    await page.getByRole('listitem').filter({ hasText: next.shown }).waitFor();
  });

  it('share one stream between ten tabs', async () => {
    const person = await rig.person();
    await person.open('/feeds/ply');
    await person.page.getByRole('row').nth(1).waitFor();
    const tabs = [person.page];
    for (let more = 0; more < 9; more += 1) {
      const tab = await person.context.newPage();
      await tab.goto(`${rig.url}/feeds/ply`);
      await tab.getByRole('row').nth(1).waitFor();
      tabs.push(tab);
    }
    assert.equal(await eventually(openStreams, (open) => open === 1), 1);
    await report();
    for (const tab of tabs) await tab.getByRole('button', { name: /^1 new/ }).waitFor();
  });

  it('count what is reported on the home page', async () => {
    const person = await rig.person();
    const page = await person.open('/');
    const today = page.getByLabel('Figures over all feeds').locator('div').first();
    const figure = async () => Number(await today.locator('dd').first().textContent());
    const before = await eventually(figure, (value) => value > 0);
    await eventually(openStreams, (open) => open === 1);
    const { shown } = await report();
    await person.button('Show 1 new report').click();
    await page.getByRole('row').filter({ hasText: shown }).waitFor();
    assert.equal(await eventually(figure, (value) => value > before), before + 1);
  });

  it('leave at once when the session ends', async () => {
    const person = await rig.person();
    await person.open('/feeds/ply');
    await person.page.getByRole('row').nth(1).waitFor();
    person.watch.allow(401, /./);
    await rig.admin.endAccountSessions(person.name);
    await person.heading('Sign in').waitFor();
  });

  it('say that the connection is lost, and miss nothing when it is back', async () => {
    const person = await rig.person();
    const page = await person.open('/feeds/ply');
    await page.getByRole('row').nth(1).waitFor();
    await eventually(openStreams, (open) => open === 1);
    person.watch.mayLoseServer = true;
    const start = await rig.stopServer();
    await person.sees('No connection to the server');
    // Somebody who reaches the service in another way reports meanwhile.
    const elsewhere = await rig.installation.server({ RAPSHEET_ANALYSIS_WORKERS: '0' });
    const { client } = reporter;
    reporter.client = rig.clientOf(reporter.token, elsewhere.url);
    const [first, second] = [await report(), await report()];
    reporter.client = client;
    await elsewhere.end('SIGTERM');
    await start();
    await person.button(/^2 new/).click();
    for (const { shown } of [first, second])
      await page.getByRole('row').filter({ hasText: shown }).waitFor();
    await page.getByText('No connection to the server').waitFor({ state: 'hidden' });
  });
});
