import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { type DemoUpload, readUploads } from '../../src/cli/demo/uploads.ts';
import type { DemoResult } from '../browser/site.ts';

export type Viewer = 'nobody' | 'alice' | 'ply-abuse' | 'soc' | 'admin' | 'first admin';

/** A page in a state worth looking at. */
export interface PictureSource {
  readonly name: string;
  readonly as: Viewer;
  readonly path: string;
  /** Error statuses that the page meets by its nature. */
  readonly expected?: readonly number[];
  /** What to do before the pictures are taken. */
  prepare?(page: Page): Promise<void>;
}

const FOLDER = new URL('../../demo/', import.meta.url);
const UNKNOWN = createHash('sha256').update('a file that nobody has sent').digest('hex');
const TABS = ['settings', 'structure', 'evidence', 'similar', 'reports', 'json'];

/** A file that waits for its analysis, because the server of the pictures has no workers. */
export const PENDING = {
  name: 'not-analysed-yet.bin',
  bytes: Buffer.from('This file waits for its analysis.\n'.repeat(200)),
};

/** The pages of the application, on the data of the demo. */
export function pictureSources(demo: DemoResult): readonly PictureSource[] {
  const uploads = readUploads(FOLDER);
  const named = (name: string) => uploads.find((each) => each.name === name) as DemoUpload;
  const sample = named('Invoice_88213.exe');
  const reportOf = ({ sha256 }: DemoUpload) => demo.reports.find((each) => each.sha256 === sha256);
  const reported = reportOf(sample);
  const onPly = demo.reports.filter(({ service }) => service === 'ply');
  const resolved = onPly[Math.floor(onPly.length / 2)];
  const file = `/files/${sample.sha256}`;
  return [
    ...peoplePages(demo),
    { name: 'find', as: 'soc', path: '/find?q=asyncrat' },
    { name: 'file-overview', as: 'alice', path: file },
    ...TABS.map((tab) => ({
      name: `file-${tab}`,
      as: 'alice' as const,
      path: `${file}?tab=${tab}`,
      ...(tab === 'similar' && { prepare: openPricedTab }),
    })),
    {
      name: 'file-inside',
      as: 'alice',
      path: `/files/${named('Invoice_88213.zip').sha256}?tab=inside`,
    },
    {
      name: 'file-pending',
      as: 'alice',
      path: `/files/${createHash('sha256').update(PENDING.bytes).digest('hex')}`,
      expected: [404, 409, 425],
    },
    { name: 'file-unknown', as: 'alice', path: `/files/${UNKNOWN}`, expected: [404] },
    {
      name: 'file-failed',
      as: 'alice',
      path: `/files/${named('memory-dump.bin').sha256}`,
      expected: [404, 422],
    },
    { name: 'c2', as: 'soc', path: `/c2/${encodeURIComponent(sample.c2s[0] ?? '')}` },
    { name: 'host', as: 'soc', path: `/hosts/${sample.c2s[0]?.replace(/:\d+$/, '')}` },
    { name: 'feeds', as: 'alice', path: '/feeds' },
    { name: 'feed', as: 'alice', path: '/feeds/ply' },
    { name: 'feed-filtered', as: 'soc', path: '/feeds/ply?status=open' },
    { name: 'feed-misrouted', as: 'soc', path: '/feeds/hopper?misrouted=true' },
    { name: 'scorecard', as: 'soc', path: '/feeds/ply/scorecard' },
    { name: 'reporter', as: 'soc', path: '/reporters/alice' },
    { name: 'report', as: 'alice', path: `/feeds/${reported?.service}/reports/${reported?.id}` },
    { name: 'report-owner', as: 'ply-abuse', path: `/feeds/ply/reports/${resolved?.id}` },
    {
      name: 'new-report',
      as: 'alice',
      path: `/feeds/ply/new?c2=${encodeURIComponent(sample.c2s[0] ?? '')}&hash=${sample.sha256}`,
    },
    { name: 'new-report-empty', as: 'alice', path: '/feeds/ply/new' },
    { name: 'upload-empty', as: 'alice', path: '/upload' },
    {
      name: 'upload',
      as: 'alice',
      path: '/upload',
      expected: [404],
      prepare: (page) => dropFiles(page, uploads.slice(0, 4)),
    },
    { name: 'desks', as: 'ply-abuse', path: '/desk' },
    { name: 'desk', as: 'ply-abuse', path: '/desk/ply' },
    { name: 'desk-actioned', as: 'ply-abuse', path: '/desk/ply?status=actioned' },
    { name: 'desk-doubtful', as: 'ply-abuse', path: '/desk/ply?confirmation=contradicted' },
    { name: 'desk-hosts', as: 'ply-abuse', path: '/desk/ply?view=hosts' },
    { name: 'desk-webhooks', as: 'ply-abuse', path: '/desk/ply?view=webhooks' },
    {
      name: 'service-form',
      as: 'admin',
      path: '/admin?section=services',
      expected: [409],
      prepare: openServiceForm,
    },
    { name: 'account', as: 'alice', path: '/account' },
    { name: 'not-found', as: 'alice', path: '/feeds/ply/no-such-page' },
    { name: 'no-permission', as: 'alice', path: '/admin', expected: [403] },
    { name: 'no-permission-desk', as: 'alice', path: '/desk/ply', expected: [403] },
  ];
}

/** First contact: the home page, and the ways to it. */
function peoplePages(demo: DemoResult): readonly PictureSource[] {
  const link = demo.links.find(({ account }) => account === 'alice')?.link ?? '';
  return [
    { name: 'home', as: 'alice', path: '/' },
    { name: 'home-desk', as: 'ply-abuse', path: '/' },
    { name: 'home-empty', as: 'first admin', path: '/' },
    { name: 'sign-in', as: 'nobody', path: '/sign-in', expected: [401] },
    { name: 'welcome', as: 'nobody', path: `/welcome#${link.split('#')[1]}`, expected: [401] },
  ];
}

/** Similar files have a price, and load after a click. */
async function openPricedTab(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: /similar|one unit|1 unit/i });
  if ((await button.count()) > 0) await button.first().click();
}

/** The end of the form, with the refusal of a server without a mail server. */
async function openServiceForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit ply' }).click();
  await page.getByLabel('Mail new reports to').fill('abuse@ply.example');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').waitFor();
}

async function dropFiles(page: Page, uploads: readonly DemoUpload[]): Promise<void> {
  const files = uploads.map(({ name, bytes }) => ({ name, buffer: Buffer.from(bytes) }));
  const added = [...files, { name: PENDING.name, buffer: PENDING.bytes }];
  const mimeType = 'application/octet-stream';
  const input = page.locator('main input[type=file]').first();
  await input.setInputFiles(added.map((file) => ({ ...file, mimeType })));
  await page.waitForTimeout(1500);
}
