import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { TestInstallation } from '../../installation.ts';
import { commandsOf, paste } from './pasted-pages.ts';

describe('the page about the loop', () => {
  const installation = new TestInstallation();
  after(() => installation.close());

  it('has commands that work when pasted, and the results that it promises', async () => {
    mkdirSync(installation.dataDir, { recursive: true });
    const { url } = await installation.server({ RAPSHEET_ANALYSIS_WORKERS: '1' });
    const commands = commandsOf('operations/the-loop.md')
      .replaceAll('./loop-data', installation.dataDir)
      .replace('http://127.0.0.1:8080', url);
    const stdout = await paste(commands, { settings: installation.settings });
    const promised = [
      /precision +no report is judged yet/,
      /precision +100.0 % \(20.7 % to 100.0 %\), 1 of 1 right/,
      /^worm.example.invalid:7000$/m,
      /recurrences +1,/,
      /contradicted .* innocent/,
      /belongs to ply/,
      /ok +statistics of feeds/,
    ];
    for (const pattern of promised) assert.match(stdout, pattern);
  });
});
