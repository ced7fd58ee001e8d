import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { RapsheetClient } from '../../src/client/client.ts';
import { sha256Of } from '../builders.ts';
import { eventually } from '../until.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import type { Person } from './rig/person.ts';

describe('the desk', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  let reporter: RapsheetClient;
  let service: string;
  let feeds = 0;
  before(async () => {
    const { token } = await rig.admin.addAccount({ name: 'reporter', roles: ['researcher'] });
    reporter = rig.clientOf(token);
  });
  // A feed of its own for each test, with the reports c1 (oldest) to c5.
  beforeEach(async () => {
    feeds += 1;
    service = `feed-${feeds}`;
    await rig.admin.addService({ slug: service });
    for (const host of ['c1', 'c2', 'c3', 'c4', 'c5'])
      await reporter.createReport(service, {
        c2Address: `${host}.example:4444`,
        file256Hash: sha256Of(host),
      });
  });

  async function atTheDesk(): Promise<Person> {
    const person = await rig.person({ services: [service] });
    await person.open('/desk');
    await rowOf(person, 'c5').waitFor();
    return person;
  }

  const rowOf = (person: Person, host: string) =>
    person.page.getByRole('listitem').filter({ hasText: `${host}[.]example` });

  /** What was acted on is no longer open. */
  const hasLeft = (person: Person, host: string) =>
    rowOf(person, host).waitFor({ state: 'detached' });

  /** Presses keys, one after the other. */
  const press = async (person: Person, keys: string) => {
    for (const key of keys) await person.page.keyboard.press(key);
  };

  /** What the server has, by host. */
  async function statuses(): Promise<Readonly<Record<string, string>>> {
    const { reports } = await reporter.listReports(service);
    return Object.fromEntries(
      reports
        .filter(({ status }) => status !== 'open')
        .map(({ c2Address, status, statusReason, statusNote }) => [
          c2Address.slice(0, 2),
          [status, statusReason, statusNote].filter(Boolean).join(' '),
        ]),
    );
  }

  const becomes = async (expected: Readonly<Record<string, string>>) => {
    const reached = await eventually(
      statuses,
      (now) => JSON.stringify(now) === JSON.stringify(expected),
      20_000,
    );
    assert.deepEqual(reached, expected);
  };

  it('is worked by keyboard alone', async () => {
    const person = await atTheDesk();
    // c5 is acknowledged; c4 is passed over and come back to, and taken down.
    await press(person, 'ajkt');
    for (const host of ['c5', 'c4']) await hasLeft(person, host);
    await press(person, 'r');
    const dialog = person.page.getByRole('dialog', { name: 'Reject 1 report' });
    await dialog.waitFor();
    await person.page.keyboard.press('Tab');
    await dialog.getByLabel('false positive').press('Space');
    await dialog.getByLabel(/^Note/).press('n');
    await dialog.getByRole('button', { name: 'Reject' }).press('Enter');
    await hasLeft(person, 'c3');
    assert.deepEqual(await statuses(), {}, 'nothing is sent while it can be undone');
    // The search, which leaves the desk.
    await press(person, '/x');
    await person.page.keyboard.press('Enter');
    await person.heading(/^Search for/).waitFor();
    await becomes({
      c5: 'acknowledged',
      c4: 'actioned taken_down',
      c3: 'rejected false_positive n',
    });
  });

  it('acts on a selection, and takes an action back before it is sent', async () => {
    const person = await atTheDesk();
    await press(person, 'xjxjx');
    await person.button(/^Taken down 3/).waitFor();
    await press(person, 't');
    await person.sees(/^3 reports act/);
    for (const host of ['c5', 'c4', 'c3']) await hasLeft(person, host);
    await press(person, 'u');
    await person.sees('Undone.');
    for (const host of ['c5', 'c4', 'c3']) await rowOf(person, host).waitFor();
    await press(person, 'a');
    await hasLeft(person, 'c5');
    await person.link('Feeds').click();
    await person.heading('Feeds').waitFor();
    await becomes({ c5: 'acknowledged' });
  });

  it('sends after ten seconds, and takes back by a change what was sent', async () => {
    const person = await rig.person({ services: [service] });
    await person.context.clock.install();
    await person.open(`/desk/${service}`);
    await rowOf(person, 'c5').waitFor();
    await press(person, 't');
    await hasLeft(person, 'c5');
    assert.deepEqual(await statuses(), {});
    await person.context.clock.fastForward(10_500);
    await becomes({ c5: 'actioned taken_down' });
    await press(person, 'u');
    await becomes({});
  });

  it('sends what waits when its tab is closed', async () => {
    const person = await atTheDesk();
    await press(person, 'at');
    await hasLeft(person, 'c4');
    await person.page.close();
    await becomes({ c5: 'acknowledged', c4: 'actioned taken_down' });
  });

  it('says that an action was refused, and shows the report as it is', async () => {
    const person = await atTheDesk();
    person.watch.allow(403, /^\/feed\//);
    person.watch.allow(404, /^\/feed\//);
    const [newest] = (await reporter.listReports(service)).reports;
    await press(person, 'a');
    await hasLeft(person, 'c5');
    await reporter.deleteReport(service, newest?.id ?? '');
    await person.link('Feeds').click();
    await person.sees('1 report not changed');
  });
});
