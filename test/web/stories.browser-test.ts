import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { fixture } from '../analysis/fixture.ts';
import { uploadAndWait } from '../e2e/server-setup.ts';
import { violationsOf } from './rig/axe.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import { dropFile } from './rig/drop-file.ts';
import type { Person } from './rig/person.ts';
import { isQuiet } from './rig/quiet.ts';

const SAMPLE = fixture('analysis/families/xworm-plain.exe');
const C2 = 'worm.example.invalid:7000';
const SHOWN_C2 = 'worm[.]example[.]invalid:7000';
const WIDTHS = [360, 768, 1280] as const;
const THEMES = ['light', 'dark'] as const;

/** Another file with the same settings, so that each story has its own. */
const buildOf = (name: string) => Buffer.concat([SAMPLE, Buffer.from(name)]);

/** What each kind of user comes for, on a phone, a tablet and a desktop, in both themes. */
describe('stories', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  before(async () => {
    await rig.admin.addService({ slug: 'ply', hosts: ['*.example.invalid'] });
  });

  /** In both themes the page has no violation of axe, and is no wider than the screen. */
  async function looksRight({ page }: Person): Promise<void> {
    await isQuiet(page);
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await violationsOf(page), [], `${page.url()}, ${colorScheme}`);
    }
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    assert.ok(width <= (page.viewportSize()?.width ?? 0), `${page.url()} is ${width} px wide`);
  }

  /** Opens a path on a screen of this width. */
  async function openAt(person: Person, width: number, path: string): Promise<void> {
    await person.open('about:blank');
    await person.page.setViewportSize({ width, height: 800 });
    await person.open(path);
  }

  async function reported(name: string, c2Address = `${name}.example.invalid:7000`) {
    const { token } = await rig.admin.addAccount({ name, roles: ['researcher'] });
    const client = rig.clientOf(token);
    const file = new Blob([Uint8Array.from(buildOf(name))]);
    const { sha256Hash: file256Hash } = await uploadAndWait(client, file, 'XClient.exe');
    const { id } = await client.createReport('ply', { c2Address, file256Hash, tags: ['xworm'] });
    return { id, file256Hash, c2Address };
  }

  for (const width of WIDTHS) {
    it(`a researcher reports what a file holds and reads the answer, ${width} px`, async () => {
      const researcher = await rig.researcher({ bypassCSP: true });
      await openAt(researcher, width, '/upload');
      const { page } = researcher;
      const content = buildOf(`researcher ${width}`);
      await dropFile(page, page.getByText(/Drop files/), 'XClient.exe', content);
      const proposal = page.getByRole('list', { name: 'Proposed reports' }).getByRole('listitem');
      await proposal.getByText('✓confirmed').waitFor();
      await looksRight(researcher);
      await proposal.getByRole('button', { name: 'Report', exact: true }).click();
      await proposal.getByRole('link', { name: 'Reported' }).click();
      await researcher.heading(`at ${SHOWN_C2}`).waitFor();
      await looksRight(researcher);

      const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
      const { client } = await rig.person({ services: ['ply'] });
      await client.setStatus('ply', id, { status: 'actioned', reason: 'taken_down' });
      await researcher.open('/account');
      await isQuiet(page);
      // The reports are read when they are reached.
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      await page.getByRole('row').filter({ hasText: SHOWN_C2 }).getByText('actioned').waitFor();
      await looksRight(researcher);
    });

    it(`a desk takes down what is right and rejects what is wrong, ${width} px`, async () => {
      const right = await reported(`right-${width}`, C2);
      const wrong = await reported(`wrong-${width}`);
      const desk = await rig.person({ services: ['ply'], bypassCSP: true });
      await openAt(desk, width, `/desk/ply?reporter=right-${width}`);
      const rows = desk.page.getByRole('list', { name: 'Reports' }).getByRole('listitem');
      await rows.getByText('confirmed').waitFor();
      await looksRight(desk);
      // A narrow screen shows the list or the report.
      await rows.first().click();
      await desk.button(/^Taken down/).click();
      await desk.sees(/^1 report act/);
      await desk.open(`/desk/ply?reporter=wrong-${width}`);
      await rows.getByText('contradicted').click();
      await desk.button(/^Reject/).click();
      const dialog = desk.dialog('Reject 1 report');
      await dialog.waitFor();
      await looksRight(desk);
      await dialog.getByRole('button', { name: 'Reject' }).click();
      await dialog.waitFor({ state: 'detached' });
      // Leaving the desk sends what could be undone.
      await desk.open(`/feeds/ply/reports/${wrong.id}`);
      await desk.sees('rejected');
      await looksRight(desk);
      await desk.open(`/feeds/ply/reports/${right.id}`);
      await desk.sees('taken down');
    });

    it(`an analyst learns whether an address is bad and takes the list, ${width} px`, async () => {
      const { c2Address, file256Hash } = await reported(`seen-${width}`);
      const analyst = await rig.person({ bypassCSP: true });
      await openAt(analyst, width, `/find?q=${c2Address.replaceAll('.', '[.]')}`);
      const { page } = analyst;
      await analyst.sees(`seen-${width}[.]example[.]invalid:7000`);
      await looksRight(analyst);
      await analyst.open(`/c2/${c2Address}`);
      await analyst.heading(/seen-/).waitFor();
      await looksRight(analyst);
      await analyst.open(`/files/${file256Hash}`);
      await analyst.sees('XWORM');
      await looksRight(analyst);
      await analyst.open(`/feeds/ply?c2=${c2Address}`);
      await looksRight(analyst);
      await analyst.button('Use this feed').click();
      const panel = page.getByRole('region', { name: 'Use this feed' });
      // A narrow screen has one field instead of a list.
      const choice = panel.getByLabel('Tool or format');
      const option = panel.getByRole('button', { name: 'CSV', exact: true });
      await choice.or(option).waitFor();
      await (width === 360 ? choice.selectOption('CSV') : option.click());
      await panel.getByRole('region', { name: 'Preview' }).locator('pre').waitFor();
      await looksRight(analyst);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        panel.getByRole('link', { name: 'Download' }).click(),
      ]);
      assert.match(readFileSync(await download.path(), 'utf8'), new RegExp(file256Hash));
    });

    it(`an operator makes a service and an account, and sees who did what, ${width} px`, async () => {
      const operator = await rig.person({ roles: ['admin'], bypassCSP: true });
      await openAt(operator, width, '/admin?section=services');
      await operator.button('New service').first().click();
      const service = operator.dialog('New service');
      await service.getByLabel('Short name').fill(`cask-${width}`);
      await service.getByLabel('Host patterns').fill(`*.cask-${width}.example`);
      await looksRight(operator);
      await service.getByRole('button', { name: 'Create' }).click();
      await service.waitFor({ state: 'detached' });
      await operator.page
        .getByRole('row')
        .filter({ hasText: `cask-${width}` })
        .waitFor();
      await operator.open('/admin?section=accounts');
      await operator.button('New account').first().click();
      const account = operator.dialog('New account');
      await account.getByLabel('Name', { exact: true }).fill(`carol-${width}`);
      await looksRight(operator);
      await operator.open('/admin?section=audit');
      await operator.sees(/service/);
      await looksRight(operator);
    });
  }
});
