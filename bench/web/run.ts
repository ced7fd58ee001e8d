import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { launchChromium } from '../../scripts/browser/chromium.ts';
import { Verdicts } from '../verdicts.ts';
import { measureFirstViews } from './first-view.ts';
import { measureLargeFeed } from './large-feed.ts';
import { measurePages } from './pages.ts';

/**
 * Measures the web application in a real browser against a real server: `npm run bench -- web`. It
 * fails if a figure is over its limit. `--quick` uses a smaller feed; `--only first,pages,feed`
 * selects parts; `--tree <folder>` measures the pages of another checkout; `--profiles <folder>`
 * writes CPU profiles of the large feed. Run it on an idle machine: a browser that waits for a core
 * has long tasks.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    profiles: { type: 'string' },
    tree: { type: 'string' },
  },
});
const { quick, profiles, tree } = values;
const verdicts = new Verdicts();

const parts: Readonly<Record<string, () => Promise<void>>> = {
  first: () => measureFirstViews(browser, verdicts, quick ? 3 : 7),
  pages: () => measurePages(browser, verdicts, tree),
  feed: () =>
    measureLargeFeed(browser, verdicts, {
      reports: quick ? 10_000 : 100_000,
      arrivalSeconds: quick ? 10 : 30,
      profiles,
    }),
};

const browser = await launchChromium();
try {
  for (const [name, part] of Object.entries(parts)) {
    if (values.only === undefined || values.only.split(',').includes(name)) await part();
  }
} finally {
  await browser.close();
}
console.log(`\nload of the machine: ${loadavg()[0]?.toFixed(1)}\n${verdicts}`);
process.exitCode = verdicts.missed > 0 ? 1 : 0;
