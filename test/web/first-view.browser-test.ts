import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Traffic } from '../../scripts/browser/traffic.ts';
import { sha256Of } from '../builders.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import { areInThePast } from './rig/past-times.ts';
import type { Person } from './rig/person.ts';
import { isQuiet } from './rig/quiet.ts';

const REPORTS = 1200;
/** What a page may request before anybody touches it, the script of the stream included. */
const MAX_REQUESTS = 12;
/** Headers included. Data that is not compressed, or a list that loads all it can, is above it. */
const MAX_BYTES = 200_000;

describe('the first view of a page', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  const file = 'a reported file';
  before(async () => {
    await rig.admin.addService({ slug: 'ply' });
    const { token } = await rig.admin.addAccount({ name: 'reporter', roles: ['researcher'] });
    const reporter = rig.clientOf(token);
    const lines = Array.from({ length: REPORTS }, (_, index) =>
      JSON.stringify({
        c2Address: `n${index}.ply.example:443`,
        file256Hash: index === 0 ? sha256Of(file) : sha256Of(`${index}`),
        referenceLink: `https://research.example/${index}`,
        tags: ['asyncrat', 'rat'],
      }),
    );
    await Array.fromAsync(await reporter.createReports('ply', lines.join('\n')));
    await rig.importAnalysis(file);
    await areInThePast(reporter, 'ply');
  });

  const pages: readonly [name: string, path: string, open: () => Promise<Person>][] = [
    ['sign-in', '/sign-in', () => rig.stranger()],
    ['home', '/', () => rig.researcher()],
    ['a feed', '/feeds/ply', () => rig.researcher()],
    ['a desk', '/desk/ply', () => rig.person({ services: ['ply'] })],
    ['a file', `/files/${sha256Of(file)}`, () => rig.researcher()],
    ['a C2', '/c2/n1.ply.example:443', () => rig.researcher()],
  ];
  for (const [name, path, open] of pages)
    it(`of ${name} makes few requests, none of them twice`, async () => {
      const person = await open();
      const traffic = await Traffic.of(await person.open('about:blank'));
      const page = await person.open(path);
      await page.getByRole('heading').first().waitFor();
      await isQuiet(page);
      const { requests, bytes } = traffic;
      await traffic.stop();
      const list = requests.map((url) => url.replace(rig.url, '')).join('\n');
      assert.deepEqual(requests, [...new Set(requests)], 'requested twice');
      assert.ok(requests.length <= MAX_REQUESTS, `${requests.length} requests:\n${list}`);
      assert.ok(bytes <= MAX_BYTES, `${bytes} bytes:\n${list}`);
    });
});
