import { get } from 'node:http';
import type { Browser } from 'playwright-core';
import { type DemoResult, Site } from '../../scripts/browser/site.ts';
import { median, type Verdicts } from '../verdicts.ts';
import { MeasuredTab } from './tab.ts';

const MAX_SCRIPT_KB = 150;
const MAX_VIEW_MS = 1000;
const MAX_SHIFT = 0.05;

/** Measures the pages with the data of the demo: size, time and steadiness of the first view. */
export async function measureFirstViews(
  browser: Browser,
  verdicts: Verdicts,
  rounds: number,
): Promise<void> {
  const site = new Site();
  try {
    const demo = await site.fillWithDemo();
    await site.start();
    await measureScripts(browser, verdicts, { site, demo });
    await measureTimes(browser, verdicts, { site, demo, rounds });
    await measureShifts(browser, verdicts, { site, demo });
  } finally {
    await site.close();
  }
}

interface Rig {
  readonly site: Site;
  readonly demo: DemoResult;
}

const tokenOf = ({ site, demo }: Rig, name: string) =>
  demo.accounts.find((account) => account.name === name)?.token ?? site.adminToken();

async function measureScripts(browser: Browser, verdicts: Verdicts, rig: Rig): Promise<void> {
  for (const [name, token] of [
    ['home', tokenOf(rig, 'alice')],
    ['sign-in', undefined],
  ] as const) {
    const tab = await MeasuredTab.open(browser, rig.site.url, token);
    const scripts = new Set<string>();
    tab.page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.add(response.url());
    });
    await tab.visit(name === 'home' ? '/' : '/sign-in');
    const sizes = await Promise.all([...scripts].map(gzipSize));
    await tab.close();
    const kilobytes = sizes.reduce((sum, size) => sum + size, 0) / 1000;
    verdicts.add(`script of the first view, ${name}, gzip, kB`, kilobytes, MAX_SCRIPT_KB, 'less');
  }
}

/** The size as it is sent, without headers. */
function gzipSize(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'gzip' } }, (answer) => {
      let size = 0;
      answer.on('data', (piece: Buffer) => {
        size += piece.length;
      });
      answer.on('end', () => resolve(size));
      answer.on('error', reject);
    }).on('error', reject);
  });
}

async function measureTimes(
  browser: Browser,
  verdicts: Verdicts,
  { rounds, ...rig }: Rig & { readonly rounds: number },
): Promise<void> {
  const times: number[] = [];
  // The first navigation starts processes of the browser, which is not the time of the page.
  for (let round = 0; round <= rounds; round += 1) {
    const tab = await MeasuredTab.open(browser, rig.site.url, tokenOf(rig, 'alice'));
    await tab.visit('/');
    const { paint } = await tab.measured();
    if (round > 0) times.push(paint);
    await tab.close();
  }
  const figure = `first view of home, empty cache, median of ${rounds}, ms`;
  verdicts.add(figure, median(times), MAX_VIEW_MS, 'less');
}

async function measureShifts(browser: Browser, verdicts: Verdicts, rig: Rig): Promise<void> {
  const report = rig.demo.reports.find(({ service }) => service === 'ply');
  const pages: readonly (readonly [account: string, name: string, path: string])[] = [
    ['alice', 'home', '/'],
    ['alice', 'file', `/files/${report?.sha256}`],
    ['alice', 'feeds', '/feeds'],
    ['alice', 'feed', '/feeds/ply'],
    ['alice', 'report', `/feeds/ply/reports/${report?.id}`],
    ['alice', 'account', '/account'],
    ['ply-abuse', 'desk', '/desk/ply'],
    ['admin', 'admin', '/admin'],
  ];
  for (const [account, name, path] of pages) {
    const tab = await MeasuredTab.open(browser, rig.site.url, tokenOf(rig, account));
    await tab.visit(path);
    const { shifts } = await tab.measured();
    await tab.close();
    const sum = shifts.reduce((total, shift) => total + shift, 0);
    verdicts.add(`layout shift of ${name}`, sum, MAX_SHIFT, 'less');
  }
}
