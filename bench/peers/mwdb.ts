import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, runOn, startPostgres } from '../../test/postgres.ts';
import { spread } from '../requests.ts';
import {
  freePort,
  installPython,
  runProgram,
  startProgram,
  stopProgram,
  unpackDebian,
} from './install.ts';
import { numbered, type Peer, type PeerOperation, rawRequest } from './peer.ts';

const PACKAGES = ['mwdb-core==2.20.0', 'gunicorn==25.1.0'];
/** A request takes so long that those in flight at the end of a time would distort the result. */
const ONCE = { connections: 8, once: true };
const REQUESTS = 300;
const PASSWORD = 'bench-password';

const contentOf = (number: number) => `object ${number}`;
const sha256Of = (number: number) => createHash('sha256').update(contentOf(number)).digest('hex');

/** Stores files as an upload by the administrator does: the row, and the permission to see it. */
const FILL = `
  with added as (
    insert into object (type, dhash, upload_time, share_3rd_party, file_name, file_size, file_type,
                        md5, crc32, sha1, sha256, sha512, ssdeep)
    select 'file', hash, now(), true, 'sample-' || n, length(text), 'ASCII text',
           md5(text), lpad(to_hex(n), 8, '0'), substr(hash, 1, 40), hash, hash || hash, '3:abc:abc'
    from (select n, 'object ' || n as text,
                 encode(sha256(convert_to('object ' || n, 'UTF8')), 'hex') as hash
          from generate_series($1::int, $2::int) as n) as made
    returning id
  )
  insert into permission (object_id, group_id, access_time, reason_type, related_object_id, related_user_id)
  select added.id, g.id, now(), 'added', added.id, u.id
  from added, "group" as g, "user" as u
  where g.name = 'admin' and u.login = 'admin'`;

const CHUNK = 20_000;

async function fill(url: string, count: number): Promise<void> {
  for (let from = 1; from <= count; from += CHUNK)
    await runOn(url, FILL, [from, Math.min(count, from + CHUNK - 1)]);
  await runOn(url, 'analyze');
}

/** The process of the server, found as the parent of one of its backends. */
async function postmasterOf(url: string): Promise<number> {
  const sql = `select pg_read_file('postmaster.pid') as text`;
  const [row] = await runOn(url, sql);
  return Number.parseInt(String(row?.['text']), 10);
}

async function logIn(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login: 'admin', password: PASSWORD }),
  });
  const { token } = (await response.json()) as { token: string };
  return token;
}

function uploadOf(number: number, headers: Readonly<Record<string, string>>): string {
  const boundary = 'bench-boundary';
  const part = (name: string, content: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name=${name}\r\n\r\n${content}\r\n`;
  const body = `${part(`"file"; filename="sample-${number}"`, contentOf(number))}${part('"options"', '{}')}--${boundary}--\r\n`;
  const type = `multipart/form-data; boundary=${boundary}`;
  const all = { ...headers, 'Content-Type': type };
  return rawRequest({ method: 'POST', path: '/api/file', headers: all, body });
}

function operationsFor(token: string): readonly PeerOperation[] {
  const headers = { Authorization: `Bearer ${token}` };
  return [
    {
      name: 'look a file up by its SHA-256',
      plan: ONCE,
      requests: (count) =>
        numbered(REQUESTS, (number) => {
          const path = `/api/file/${sha256Of(spread(number, count))}`;
          return rawRequest({ method: 'GET', path, headers });
        }),
    },
    {
      name: 'add an object',
      plan: ONCE,
      requests: (count) => numbered(REQUESTS, (number) => uploadOf(count + 1 + number, headers)),
    },
  ];
}

export const mwdb: Peer = {
  name: 'MWDB',
  setUp:
    'mwdb-core 2.20, PostgreSQL 18 with full flushes, gunicorn with two threaded workers, without Karton and without the web application',
  install: async () => {
    await installPython('mwdb', PACKAGES);
    await unpackDebian(['libfuzzy2'], 'usr/share/doc/libfuzzy2');
  },
  start: async (count, folder) => {
    const bin = await installPython('mwdb', PACKAGES);
    const postgres = await startPostgres([]);
    const url = await createDatabase(postgres.url);
    const uploads = join(folder, 'uploads');
    mkdirSync(uploads);
    const env = {
      MWDB_POSTGRES_URI: url.replace(/^postgres:/, 'postgresql:'),
      MWDB_SECRET_KEY: 'bench',
      MWDB_ADMIN_PASSWORD: PASSWORD,
      MWDB_UPLOADS_FOLDER: uploads,
      MWDB_SERVE_WEB: '0',
      HOME: folder,
    };
    const configure = ['configure', '--quiet', 'basic'];
    await runProgram({ command: `${bin}/mwdb-core`, args: configure, env, cwd: folder });
    await fill(url, count);
    const port = await freePort();
    const args = `-k gthread -w 2 --threads 8 -b 127.0.0.1:${port} mwdb.app:app`.split(' ');
    const gunicorn = await startProgram(
      { command: `${bin}/gunicorn`, args, env, cwd: folder },
      port,
    );
    return {
      port,
      pids: [gunicorn.pid ?? 0, await postmasterOf(url)],
      operations: operationsFor(await logIn(port)),
      stop: async () => {
        await stopProgram(gunicorn);
        await postgres.stop();
      },
    };
  },
};
