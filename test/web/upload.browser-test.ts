import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fixture } from '../analysis/fixture.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';

const LIMIT = 1 << 20;

describe('the upload', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig(async () => ({ RAPSHEET_UPLOAD_LIMIT_BYTES: String(LIMIT) }));

  /** A new folder with these files. */
  function folderWith(name: string, files: Readonly<Record<string, Buffer>>): string {
    const folder = join(rig.installation.dataDir, name);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return folder;
  }

  it('takes a folder, and does not send what is known', async () => {
    const person = await rig.researcher();
    const sample = fixture('analysis/families/asyncrat-plain.exe');
    const folder = folderWith('inbox', {
      'a.exe': sample,
      'deep/er/note.txt': Buffer.from('a note'),
    });
    const page = await person.open('/upload');
    await page.getByLabel('Folder to upload').setInputFiles(folder);
    await person.heading('2 of 2 files done').waitFor();
    const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    await row('inbox/a.exe')
      .getByText(/asyncrat/i)
      .first()
      .waitFor();
    await row('inbox/deep/er/note.txt').getByText('analysed').waitFor();
    await person.button('Clear the list').click();
    await row('inbox/a.exe').waitFor({ state: 'detached' });

    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
    });
    const chosen = { name: 'other.exe', mimeType: '', buffer: sample };
    await page.getByLabel('Files to upload').setInputFiles(chosen);
    await row('other.exe').getByText('known, not sent').waitFor();
    assert.deepEqual(sent, []);
  });

  it('says that a file is too large, and takes the others', async () => {
    const person = await rig.researcher();
    person.watch.allow(413, /^\/private\//);
    // The server may close the connection before the browser has read its answer.
    person.watch.mayLoseServer = true;
    const page = await person.open('/upload');
    await page.getByLabel('Files to upload').setInputFiles([
      { name: 'large.bin', mimeType: '', buffer: randomBytes(LIMIT + 1) },
      { name: 'empty-ish.bin', mimeType: '', buffer: randomBytes(10) },
    ]);
    await person.heading('2 of 2 files done, 1 failed').waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'large.bin' });
    await row.getByText(/failed: .*(?:size|large|bytes|MiB)/i).waitFor();
  });

  it('is cancelled, and what was cancelled is not sent', async () => {
    const person = await rig.researcher();
    const page = await person.open('/upload');
    // The answer about a file comes when the test says so.
    const { promise: asked, resolve: release } = Promise.withResolvers<void>();
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') sent += 1;
    });
    await page.route(/status/, async (route) => {
      await asked;
      await route.continue().catch(() => undefined);
    });
    const files = ['one.bin', 'two.bin', 'three.bin', 'four.bin'].map((name) => ({
      name,
      mimeType: '',
      buffer: randomBytes(1000),
    }));
    await page.getByLabel('Files to upload').setInputFiles(files);
    await person.button('Cancel one.bin').click();
    await person.heading('1 of 4 files done').waitFor();
    await person.button('Cancel all').click();
    await person.heading('4 of 4 files done').waitFor();
    assert.equal(await page.getByText('cancelled', { exact: true }).count(), 4);
    release();
    await person.link('Feeds').click();
    await person.heading('Feeds').waitFor();
    assert.equal(sent, 0);
  });
});
