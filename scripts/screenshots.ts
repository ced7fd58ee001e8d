import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launchChromium } from './browser/chromium.ts';
import { type DemoResult, Site } from './browser/site.ts';
import { answerHelp } from './parts.ts';
import { Camera, THEMES, type Visit, WIDTHS } from './screenshots/camera.ts';
import { contactSheet } from './screenshots/contact-sheet.ts';
import { PENDING, type PictureSource, pictureSources, type Viewer } from './screenshots/pages.ts';

/**
 * Takes pictures of every page with the data of the demo, in a real browser against a real server.
 * Fails if a page wrote an error to the console.
 */
answerHelp(`npm run screenshots -- [word…] [options]

  word…              only the pages whose name contains one of the words
  --out screenshots  the folder of the pictures
  --widths 360,1280  the widths of the window
  --docs             the pictures of the documents instead`);
const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: 'screenshots' },
    widths: { type: 'string', default: WIDTHS.join() },
    docs: { type: 'boolean', default: false },
  },
});

/** The pictures in documents, each in one theme. */
const DOCS: Readonly<Record<string, 'light' | 'dark'>> = {
  home: 'light',
  'home-empty': 'light',
  find: 'light',
  'file-overview': 'light',
  'file-settings': 'dark',
  c2: 'light',
  feed: 'light',
  desk: 'light',
  'new-report': 'light',
  upload: 'light',
  'admin-services': 'light',
};
const DOCS_FOLDER = fileURLToPath(new URL('../docs/images/web/', import.meta.url));

const isChosen = ({ name }: { readonly name: string }) =>
  (words.length === 0 || words.some((word) => name.includes(word))) &&
  (!values.docs || DOCS[name] !== undefined);

const folder = resolve(values.out);
const widths = values.widths.split(',').map(Number);
const files: string[] = [];
const names: string[] = [];
const problems: string[] = [];

/** The sections of the administration, from its own links. */
async function adminSources(camera: Camera): Promise<readonly PictureSource[]> {
  const admin: PictureSource = { name: 'admin', as: 'admin', path: '/admin' };
  if (words.length > 0 && !words.some((word) => word.startsWith('admin'))) return [];
  const { page } = await camera.open(admin);
  const paths = await page
    .locator('a[href*="section="]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  const sections = [...new Set(paths)].map((path) => ({
    name: `admin-${new URL(path, 'http://host.example').searchParams.get('section')}`,
    as: 'admin' as const,
    path,
  }));
  return [admin, ...sections];
}

async function takeAll(camera: Camera, source: PictureSource): Promise<void> {
  const startedAt = performance.now();
  const { page, errors } = await camera.open(source);
  const theme = DOCS[source.name];
  if (values.docs && theme !== undefined) {
    await camera.takeForDocs(page, theme, join(DOCS_FOLDER, `${source.name}.webp`));
  } else {
    for (const width of widths) {
      for (const each of THEMES) {
        const file = `${source.name}/${width}-${each}.png`;
        await camera.take(page, { width, theme: each }, join(folder, file));
        files.push(file);
      }
    }
  }
  names.push(source.name);
  for (const error of errors()) problems.push(`${source.name}: ${error}`);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stderr.write(`${source.name.padEnd(24)} ${seconds} s\n`);
}

function visitsOf(site: Site, empty: Site, demo: DemoResult): (viewer: Viewer) => Visit {
  return (viewer) => {
    if (viewer === 'first admin') return { url: empty.url, token: empty.adminToken() };
    if (viewer === 'nobody') return { url: site.url, token: undefined };
    const token = demo.accounts.find(({ name }) => name === viewer)?.token;
    return { url: site.url, token: token ?? site.adminToken() };
  };
}

/** Sends a file that stays in the queue. */
async function sendPending(site: Site, demo: DemoResult): Promise<void> {
  const body = new FormData();
  body.set('file', new Blob([PENDING.bytes]), PENDING.name);
  const authorization = demo.accounts.find(({ name }) => name === 'alice')?.token ?? '';
  const options = { method: 'POST', headers: { authorization }, body };
  const answer = await fetch(`${site.url}/private/upload`, options);
  if (!answer.ok) throw new Error(`a file could not be sent: ${await answer.text()}`);
}

// Without workers a file stays pending, and the queue of the administration is not empty.
const site = new Site({ RAPSHEET_ANALYSIS_WORKERS: '0' });
const empty = new Site();
try {
  const [demo] = await Promise.all([site.fillWithDemo(), empty.start()]);
  await site.start();
  await sendPending(site, demo);
  const browser = await launchChromium();
  const camera = new Camera(browser, visitsOf(site, empty, demo));
  if (!values.docs && words.length === 0) rmSync(folder, { recursive: true, force: true });
  const sources = [...pictureSources(demo), ...(await adminSources(camera))].filter(isChosen);
  for (const source of sources) await takeAll(camera, source);
  await camera.close();
  await browser.close();
  if (!values.docs) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.html'), contactSheet(names, files));
  }
} finally {
  await Promise.all([site.close(), empty.close()]);
}
const where = values.docs ? DOCS_FOLDER : join(folder, 'index.html');
console.log(`${names.length} pages, ${files.length} pictures: ${where}`);
for (const problem of problems) console.log(`error in the console of ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;
