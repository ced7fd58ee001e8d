import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { sha256Of } from '../builders.ts';
import { violationsOf } from './rig/axe.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import type { Person } from './rig/person.ts';

const HASH = sha256Of('lantern');
const SHORT = `${HASH.slice(0, 8)}…${HASH.slice(-8)}`;
const C2 = '198.51.100.7:4444';

/** Pastes as a person does, with a clipboard that the test need not be allowed to use. */
const PASTE = (text: string) => `{
  const data = new DataTransfer();
  data.setData('text', ${JSON.stringify(text)});
  document.getElementById('search').dispatchEvent(
    new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
}`;

describe('a search in the browser', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  before(async () => {
    await rig.admin.addService({ slug: 'ply', networks: ['198.51.100.0/24'] });
    await rig.importAnalysis('lantern');
    const { token } = await rig.admin.addAccount({ name: 'reporter', roles: ['researcher'] });
    await rig
      .clientOf(token)
      .createReport('ply', { c2Address: C2, file256Hash: HASH, tags: ['rat'] });
  });

  const saved = async (person: Person, name: string) => {
    const { page } = person;
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      person.button(name).click(),
    ]);
    return readFileSync(await download.path(), 'utf8');
  };

  for (const [text, found] of [
    [HASH.slice(0, 8), /A hash that starts so/],
    [SHORT, /A hash that starts so/],
    ['198[.]51[.]100[.]0/25', /In this network/],
  ] as const)
    it(`finds ${text}`, async () => {
      const person = await rig.person();
      const page = await person.open('/');
      await page.getByLabel('Search').fill(text);
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/find\?q=/);
      await page.getByRole('heading', { name: found }).first().waitFor();
      await person.sees(/1 file and 1 report\.|1 report\./);
    });

  it('answers each line of a pasted list, which the address of the page holds', async () => {
    const person = await rig.person();
    const page = await person.open('/');
    await page.getByLabel('Search').focus();
    await page.evaluate(
      PASTE(`hxxp://198[.]51[.]100[.]7:4444/a\n${SHORT}\nnone.example\ntwo words\n`),
    );
    await page.waitForURL(/\/find#list=/);
    await person.sees('2 of 4 lines are known. 1 line could not be read.');
    await person.sees('Nothing is known.');
    await person.sees(/It must be a hash/);
    assert.deepEqual(await violationsOf(page), []);

    const csv = (await saved(person, 'CSV')).split('\r\n');
    assert.match(csv[1] ?? '', /^"hxxp:\/\/198.*","report","c2",.*"198\.51\.100\.7:4444"/);
    const json = JSON.parse(await saved(person, 'JSON')) as { answers: { query: string }[] };
    assert.deepEqual(
      json.answers.map(({ query }) => query),
      ['hxxp://198[.]51[.]100[.]7:4444/a', SHORT, 'none.example', 'two words'],
    );

    const other = await rig.person();
    await other.open(new URL(page.url()).pathname + new URL(page.url()).hash);
    await other.sees('2 of 4 lines are known. 1 line could not be read.');
  });

  it('takes a list from a field, and says that it is too long', async () => {
    const person = await rig.person();
    const page = await person.open('/find');
    const field = page.getByLabel('A list');
    await field.fill(Array.from({ length: 101 }, (_, index) => `h${index}.example`).join('\n'));
    await person.sees('The list has 101 lines; the first 100 are searched.');
    assert.deepEqual(await violationsOf(page), []);
    await person.button('Search for the list').click();
    await person.sees('0 of 100 lines are known.');
    await page.getByText('Change the list').click();
    assert.equal((await field.inputValue()).split('\n').length, 100);
  });
});
