import assert from 'node:assert/strict';
import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../client.ts';
import { program } from '../sources.ts';
import { DEMO_FEED, type Trial } from '../trial.ts';

const PATH = `/feed/${DEMO_FEED}/export/json`;

const authorization = ({ token }: Trial) => `Authorization: Bearer ${token}`;
const urlOf = ({ url }: Trial) => `${url}${PATH}`;

/** A decoder gets the compressed body that curl has fetched. */
function decoder(name: string, encoding: string): Client {
  return {
    name: `${name} and curl`,
    source: program(name),
    command: `curl -H 'Accept-Encoding: ${encoding}' …/export/json | ${name} -dc`,
    compared: 'the bytes with those of an answer without compression',
    async run(trial) {
      const script = `curl -sSf -H "$0" -H 'Accept-Encoding: ${encoding}' -o ${encoding}.body -w '%header{content-encoding}' "$1" && ${name} -dc <${encoding}.body >${encoding}.json`;
      const args = ['-c', script, authorization(trial), urlOf(trial)];
      assert.equal(await trial.execute('sh', args), encoding);
      const decoded = readFileSync(join(trial.folder, `${encoding}.json`), 'utf8');
      assert.equal(decoded, await trial.read(PATH));
    },
  };
}

export const TRANSPORT: readonly Client[] = [
  {
    name: 'curl',
    source: program('curl'),
    command: 'curl --compressed --etag-save tag --etag-compare tag …/export/json',
    compared: 'the bytes; 304 for the second request',
    async run(trial) {
      const fetch = () =>
        trial.execute('curl', [
          ...['-sSf', '--compressed', '-H', authorization(trial), '-w', '%{http_code}'],
          ...['--etag-save', 'tag', '--etag-compare', 'tag', '-o', 'curl.json', urlOf(trial)],
        ]);
      trial.file('tag', '');
      assert.equal(await fetch(), '200');
      const body = readFileSync(join(trial.folder, 'curl.json'), 'utf8');
      assert.equal(body, await trial.read(PATH));
      assert.equal(await fetch(), '304');
    },
  },
  {
    name: 'wget',
    source: program('wget'),
    command: '`wget -c …/export/json`, after a download that was cut',
    compared: 'the bytes; that the server sent the missing ones alone',
    async run(trial) {
      const fetch = () =>
        trial.execute('sh', [
          ...['-c', 'wget -S -c --header="$0" -O wget.json "$1" 2>&1'],
          ...[authorization(trial), urlOf(trial)],
        ]);
      await fetch();
      truncateSync(join(trial.folder, 'wget.json'), 1000);
      assert.match(await fetch(), /HTTP\/1\.1 206 [\s\S]*Content-Range: bytes 1000-/i);
      assert.equal(readFileSync(join(trial.folder, 'wget.json'), 'utf8'), await trial.read(PATH));
    },
  },
  {
    name: 'aria2',
    source: program('aria2c'),
    command: '`aria2c -x4 -s4 -k1M …/feed/all/export/stix`, in parts at once',
    compared: 'the bytes',
    async run(trial) {
      await trial.execute('aria2c', [
        ...[
          '-q',
          '-x4',
          '-s4',
          '-k1M',
          '--allow-overwrite=true',
          `--header=${authorization(trial)}`,
        ],
        ...['-o', 'aria2.stix', trial.exportUrl('stix', 'all')],
      ]);
      assert.equal(
        readFileSync(join(trial.folder, 'aria2.stix'), 'utf8'),
        await trial.read('/feed/all/export/stix'),
      );
    },
  },
  decoder('zstd', 'zstd'),
  decoder('brotli', 'br'),
];
