import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../free-port.ts';
import { TestInstallation } from '../../installation.ts';
import { commandsOf, paste, ROOT } from './pasted-pages.ts';

/**
 * The pages tell one story: each uses what the earlier ones made. What their output must contain
 * shows that the commands did what the text says.
 */
const PAGES: readonly (readonly [page: string, promised: readonly RegExp[]])[] = [
  [
    'operator',
    [/Ply Tunnels/, /alice +researcher/, /ply-abuse/, /ok +statistics of feeds/, /account/],
  ],
  [
    'researcher',
    [
      /alice/,
      /worm\.example\.invalid:7000/,
      /XWORM/,
      /confirmed/,
      /contradicted/,
      /precision +no report is judged yet/,
      /"successful":true|created/,
    ],
  ],
  [
    'abuse-desk',
    [
      /ply-abuse/,
      /confirmed/,
      /tunnel ended, account closed/,
      /taken_down/,
      /tickets\.example\.com/,
    ],
  ],
  ['soc-team', [/soc/, /XWORM/, /worm\.example\.invalid/, /END rows=/, /"collections"/]],
];

describe('the first steps', () => {
  const installation = new TestInstallation();
  // A newcomer starts on SQLite, even where other tests run on PostgreSQL.
  const settings = {
    ...installation.settings,
    RAPSHEET_DATABASE_URL: `sqlite:${installation.folder}/first.db`,
    HOME: installation.folder,
  };
  let url = '';
  let metricsPort = 0;

  before(async () => {
    metricsPort = await freePort();
    ({ url } = await installation.server({
      ...settings,
      RAPSHEET_ANALYSIS_WORKERS: '1',
      RAPSHEET_METRICS_PORT: String(metricsPort),
    }));
    // The pages are read in a clone of the repository, and write files there.
    for (const folder of ['demo', 'docs'])
      symlinkSync(`${ROOT}${folder}`, `${installation.folder}/${folder}`);
  });
  after(() => installation.close());

  for (const [page, promised] of PAGES)
    it(`of ${page} work when pasted, and have the results that the page promises`, async () => {
      const commands =
        `${commandsOf('get-started/README.md')}\n${commandsOf(`get-started/${page}.md`)}`
          .replaceAll('http://127.0.0.1:8080', url)
          .replaceAll(':9464', `:${metricsPort}`);
      const stdout = await paste(commands, { cwd: installation.folder, settings });
      for (const pattern of promised) assert.match(stdout, pattern);
    });
});
