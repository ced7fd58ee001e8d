import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { RapsheetClient } from '../../src/client/client.ts';
import { sha256Of } from '../builders.ts';
import { violationsOf } from './rig/axe.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import { areInThePast } from './rig/past-times.ts';
import type { Person } from './rig/person.ts';
import { isQuiet } from './rig/quiet.ts';

const SINGLES = 1400;
/** As pages show it. */
const SHOWN = '1,400';

describe('a desk with many reports', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  let reporters: readonly { readonly name: string; readonly client: RapsheetClient }[];
  before(async () => {
    const names = ['alice', 'bob'] as const;
    const added = names.map(async (name) => {
      const { token } = await rig.admin.addAccount({ name, roles: ['researcher'] });
      return { name, client: rig.clientOf(token) };
    });
    reporters = await Promise.all(added);
  });

  /** Many C2s of one reporter, and three reports of one C2, two of them of the other. */
  async function filled(slug: string): Promise<Person> {
    await rig.admin.addService({ slug });
    const [alice, bob] = reporters;
    assert.ok(alice && bob);
    const lines = Array.from({ length: SINGLES }, (_, index) =>
      JSON.stringify({
        c2Address: `n${index}.many.example:443`,
        file256Hash: sha256Of(`${index}`),
        tags: ['mass'],
      }),
    );
    await Array.fromAsync(await alice.client.createReports(slug, lines.join('\n')));
    await areInThePast(alice.client, slug);
    for (const [index, { client }] of [alice, bob, bob].entries())
      await client.createReport(slug, {
        c2Address: 'often.example:4444',
        file256Hash: sha256Of(`often ${index}`),
      });
    return rig.person({ services: [slug], bypassCSP: true });
  }

  const rows = (person: Person) =>
    person.page.getByRole('list', { name: 'Reports' }).getByRole('listitem');

  it('shows the reports of a C2 in one row, opened on demand', async () => {
    const person = await filled('groups');
    await person.open('/desk/groups');
    const group = rows(person).filter({ hasText: 'often[.]example' });
    await group.getByRole('button', { name: '3 reports' }).waitFor();
    assert.equal(await group.count(), 1);
    await person.button(/^Taken down 3/).waitFor();
    await isQuiet(person.page);
    assert.deepEqual(await violationsOf(person.page), []);
    await person.page.keyboard.press('o');
    await person.page.getByRole('button', { name: 'Taken down', exact: true }).waitFor();
    assert.equal(await group.count(), 3);
    await person.page.keyboard.press('o');
    await person.page.keyboard.press('t');
    await person.sees('3 reports acted on.');
    await group.waitFor({ state: 'detached' });
    // One number, before and after it is sent.
    const views = person.page.getByRole('navigation', { name: 'Views of the desk' });
    await views.getByRole('link', { name: `open ${SHOWN}` }).waitFor();
    await person.page.getByRole('link', { name: `Desk ${SHOWN} open reports` }).waitFor();
  });

  it('filters by what is in the address of the page', async () => {
    const person = await filled('filters');
    const page = await person.open('/desk/filters');
    await rows(person).first().waitFor();
    await page.getByLabel('Filter by', { exact: true }).selectOption('Reporter');
    await page.getByLabel('Reporter to filter by').fill('bob');
    await person.button('Filter').click();
    await person.button(/^2 reports/).waitFor();
    assert.equal(await rows(person).count(), 1);
    assert.match(page.url(), /reporter=bob/);

    await person.open('/desk/filters?domain=many.example&age=1d&tag=mass');
    await rows(person).filter({ hasText: 'many[.]example' }).first().waitFor();
    assert.equal(await rows(person).filter({ hasText: 'often' }).count(), 0);
    assert.equal(await page.getByLabel('Age to filter by').inputValue(), '1d');
    await page.getByLabel('Age to filter by').selectOption('older than 7 days');
    await person.heading('Nothing that is open matches the filters').waitFor();
    await person.button('Show all open reports').click();
    await rows(person).filter({ hasText: 'often' }).waitFor();
    assert.equal(new URL(page.url()).search, '');
  });

  it('acts on all that match, loaded or not', async () => {
    const person = await filled('matching');
    const page = await person.open('/desk/matching?domain=many.example');
    await rows(person).first().waitFor();
    await page.getByLabel(/^Select the first/).click();
    await person.button(`Select all ${SHOWN} that match`).click();
    await person.sees(`All ${SHOWN} that match are selected`);
    await person.button(new RegExp(`^Acknowledge ${SHOWN}`)).click();
    await person.confirm(`Set ${SHOWN} to acknowledged`);
    await person.sees(`${SHOWN} reports set to acknowledged.`);
    await person.heading('Nothing that is open matches the filters').waitFor();
    const { total } = await person.client.listReports('matching', { status: 'open', count: true });
    assert.equal(total, 3);
  });
});
