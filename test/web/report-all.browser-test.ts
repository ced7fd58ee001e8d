import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fixture } from '../analysis/fixture.ts';
import { uploadAndWait } from '../e2e/server-setup.ts';
import { eventually } from '../until.ts';
import { violationsOf } from './rig/axe.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import type { Person } from './rig/person.ts';
import { isQuiet } from './rig/quiet.ts';

const FAMILIES = { ply: 'asyncrat-plain', cask: 'asyncrat-clone', worms: 'xworm-plain' };
const HOSTS = { ply: 'async', cask: 'clone', worms: 'worm' };
const ALL = { ply: 3, cask: 3, worms: 1 };
const NONE = { ply: 0, cask: 0, worms: 0 };

describe('reporting all proposals', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  before(async () => {
    for (const [slug, host] of Object.entries(HOSTS))
      await rig.admin.addService({ slug, hosts: [`${host}.example.invalid`] });
  });

  /** On the account page, with seven proposals for three services. */
  async function withProposals(options: object = {}): Promise<Person> {
    const person = await rig.researcher(options);
    for (const family of Object.values(FAMILIES)) {
      const bytes = Uint8Array.from(fixture(`analysis/families/${family}.exe`));
      await uploadAndWait(person.client, new Blob([bytes]), `${family}.exe`);
    }
    return person;
  }

  async function atTheQuestion(person: Person): Promise<void> {
    await person.open('/account');
    await person.button('Report all 7').click();
    await question(person).waitFor();
  }

  const question = (person: Person) =>
    person.page.getByRole('alertdialog', { name: 'Send 7 reports to 3 services?' });

  const reported = async ({ client, name }: Person) => {
    const counts = Object.keys(ALL).map(async (slug) => {
      const { reports } = await client.listReports(slug, { reporter: name });
      return [slug, reports.length] as const;
    });
    return Object.fromEntries(await Promise.all(counts));
  };

  const becomes = async (person: Person, expected: object) => {
    const isReached = (now: object) => JSON.stringify(now) === JSON.stringify(expected);
    assert.deepEqual(await eventually(() => reported(person), isReached, 20_000), expected);
  };

  it('shows what goes to which service, and sends nothing if it is cancelled', async () => {
    const person = await withProposals({ bypassCSP: true });
    await atTheQuestion(person);
    const dialog = question(person);
    for (const [slug, host] of Object.entries(HOSTS)) {
      const share = dialog.getByRole('region', { name: `To ${slug}` });
      await share.getByText(`${host}[.]example[.]invalid:`).first().waitFor();
    }
    await dialog.getByText('ply: 3 reports').waitFor();
    await dialog.getByText('worms: 1 report', { exact: true }).waitFor();
    await isQuiet(person.page);
    assert.deepEqual(await violationsOf(person.page), []);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await person.button('Report all 7').click();
    await person.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(await reported(person), NONE);
  });

  it('is worked by keyboard alone, announced, and undone before anything is sent', async () => {
    const person = await withProposals();
    const { keyboard } = await person.open('/account');
    const messages = person.page.getByRole('region', { name: 'Messages' });
    assert.equal(await messages.getAttribute('aria-live'), 'polite');
    for (const undo of ['u', 'Enter'] as const) {
      await person.button('Report all 7').focus();
      await keyboard.press('Enter');
      await question(person).waitFor();
      await keyboard.press('Tab');
      await keyboard.press('Tab');
      await keyboard.press('Enter');
      await messages.getByText('7 reports go to 3 services in 10 seconds.').waitFor();
      // The button that asked has the focus again, and undoes.
      const isFocused = `document.activeElement.textContent === 'Undo reporting all'`;
      await person.page.waitForFunction(isFocused);
      await keyboard.press(undo);
      await messages.getByText('Undone. Nothing was reported.').last().waitFor();
      await person.button('Report all 7').waitFor();
    }
    assert.equal(await messages.getByText('in 10 seconds').count(), 0);
    assert.deepEqual(await reported(person), NONE);
  });

  it('sends after ten seconds', async () => {
    const person = await withProposals();
    await person.context.clock.install();
    await atTheQuestion(person);
    await person.confirm('Send 7 reports');
    await person.button('Undo reporting all').waitFor();
    assert.deepEqual(await reported(person), NONE);
    await person.context.clock.fastForward(10_500);
    await person.sees('7 reports created.');
    await becomes(person, ALL);
    assert.equal(await person.page.getByText('Undo (u)').count(), 0);
  });

  it('sends at once when another page is opened, or the tab is closed', async () => {
    for (const leave of [
      async (person: Person) => await person.link('Feeds').first().click(),
      async (person: Person) => await person.page.close(),
    ]) {
      const person = await withProposals();
      await atTheQuestion(person);
      await person.confirm('Send 7 reports');
      await person.button('Undo reporting all').waitFor();
      await leave(person);
      await becomes(person, ALL);
    }
  });

  it('creates the others if one was dismissed meanwhile, and says so', async () => {
    const person = await withProposals();
    person.watch.allow(409, /^\/api\/proposals\/[^/]+\/report$/);
    await person.context.clock.install();
    await atTheQuestion(person);
    await person.confirm('Send 7 reports');
    const { proposals } = await person.client.listProposals({ state: 'open' });
    const worm = proposals.find(({ service }) => service === 'worms');
    await person.client.dismissProposal(worm?.id ?? '', { reason: 'not_malicious' });
    await person.context.clock.fastForward(10_500);
    await person.sees(/^6 reports created, 1 proposal not: .*dismissed/);
    await becomes(person, { ...ALL, worms: 0 });
  });
});
