import assert from 'node:assert/strict';
import { fixture } from '../../analysis/fixture.ts';
import type { BrowserRig } from './browser-rig.ts';
import { dropFile } from './drop-file.ts';

const SAMPLE = fixture('analysis/families/asyncrat-plain.exe');
const C2 = 'async[.]example[.]invalid:6606';

/** From a file to the outcome of its report, with two people in two browsers. */
export async function takeDownFromFile(rig: BrowserRig): Promise<void> {
  await rig.admin.addService({ slug: 'ply', hosts: ['*.example.invalid'] });
  const researcher = await rig.researcher({ quota: { limit: 5, period: 'none' } });
  const desk = await rig.person({ services: ['ply'] });

  const page = await researcher.open('/upload');
  await dropFile(page, page.getByText(/Drop files/), 'invoice.exe', SAMPLE);
  await researcher.link(/^Open/).click();
  await researcher.heading('invoice.exe').waitFor();
  await researcher.sees('ASYNCRAT');
  await researcher.link(/^Settings/).click();
  await page.getByRole('row', { name: /Mutex AsyncMutex_6SI8OkPnk/ }).waitFor();
  await researcher.link(/^Overview/).click();
  const c2 = page.getByRole('listitem').filter({ hasText: C2 }).first();
  await c2.getByRole('link', { name: /^Report/ }).click();

  await researcher.heading('New report to ply').waitFor();
  await researcher.button('+ asyncrat').click();
  await researcher.button(/^Report/).click();
  await researcher.heading(`at ${C2}`).waitFor();
  await researcher.sees('The settings of the file name this C2.');
  const reportUrl = new URL(page.url()).pathname;

  await desk.open('/desk');
  await desk.button(/Taken down/).click();
  await desk.sees(/^1 report act/);
  // Leaving the desk sends what could be undone.
  await desk.link('Feeds').click();
  await desk.heading('Feeds').waitFor();
  await desk.open(reportUrl);
  await desk.sees('taken down');

  await researcher.open('/account');
  const outcome = page.getByRole('row').filter({ hasText: C2 });
  await outcome.getByText('actioned').waitFor();
  await outcome.getByRole('link', { name: /ago|now/ }).click();
  await page.getByText('taken down').first().waitFor();
  assert.equal(await researcher.unitsLeft(), 4, 'only the page of the file costs a unit');
}
