import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { TestInstallation } from '../../installation.ts';
import { eventually } from '../../until.ts';
import { compare, unsettled } from '../cluster/compare.ts';
import { type Counts, countsOf, Load } from '../cluster/load.ts';
import { Readers } from './readers.ts';
import { SingleServer } from './single-server.ts';

export interface ReadOnlyResult extends Counts {
  readonly reads: number;
  readonly broken: readonly string[];
}

const KINDS = ['create', 'lookup', 'upload'] as const;
const REFUSED_WITHIN_MS = 60_000;

/**
 * All that a server on SQLite keeps turns read-only under it, as on a file system that has found an
 * error. What is open stays open, and can no longer be written to. Reports can be read all the
 * while; a lookup cannot be paid for, and is refused.
 */
export async function readOnly({ forMs }: { readonly forMs: number }): Promise<ReadOnlyResult> {
  const installation = new TestInstallation();
  const server = new SingleServer(installation);
  // Not the shared memory beside them: it is memory, and whoever took it away would take the
  // process with it.
  const { dataDir } = installation;
  const incoming = join(dataDir, 'samples', 'incoming');
  const kept = [server.database, `${server.database}-wal`, dataDir, incoming];
  try {
    await server.start();
    const { token, account } = await server.prepare();
    const load = new Load(server, token);
    const readers = new Readers(server, token, load);
    const broken: string[] = [];
    if (!(await load.makesProgress())) broken.push('nothing was acknowledged in the beginning');
    chattr('+i', ...kept);
    const isRefused = () => KINDS.every((kind) => load.results.refusedByKind[kind] > 0);
    if (!(await eventually(async () => isRefused(), Boolean, REFUSED_WITHIN_MS)))
      broken.push(`not everything was refused: ${JSON.stringify(load.results.refusedByKind)}`);
    const [served, reads] = [load.results.served, readers.served];
    await pause(forMs);
    if (load.results.served > served)
      broken.push(
        `${load.results.served - served} lookups were answered that nobody could pay for`,
      );
    if (readers.served === reads) broken.push('nobody could read');
    chattr('-i', ...kept);
    if (!(await load.makesProgress())) broken.push('nothing was acknowledged after it was over');
    const results = await load.stop();
    await readers.stop();
    if (readers.refused > 0) broken.push(`${readers.refused} reads were refused`);
    broken.push(
      ...results.broken,
      ...readers.broken,
      ...(await unsettled(server.client(), results)),
    );
    broken.push(...(await compare((sql) => server.query(sql), results, account.id)));
    await server.end('SIGTERM');
    broken.push(...(await server.examine()));
    return {
      ...countsOf(results),
      reads: readers.served,
      broken,
    };
  } finally {
    // Some of them may be gone by now.
    for (const path of kept) tryChattr('-i', path);
    await installation.close();
  }
}

/** Why no file can be made read-only for somebody who has it open. */
export function whyNoReadOnly(): string | false {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-read-only-'));
  const file = join(folder, 'file');
  const handle = openSync(file, 'w');
  try {
    chattr('+i', file);
    writeSync(handle, 'x');
    return 'this file system lets whoever has a file open write to it all the same';
  } catch (cause) {
    // Where it was the program that failed, there is a status.
    if (cause instanceof Error && 'status' in cause)
      return 'only the superuser can protect files, and not on every file system';
    return false;
  } finally {
    closeSync(handle);
    tryChattr('-i', file);
    rmSync(folder, { recursive: true });
  }
}

function tryChattr(flag: string, file: string): void {
  try {
    chattr(flag, file);
  } catch {
    // It was not set.
  }
}

function chattr(flag: string, ...files: readonly string[]): void {
  execFileSync('chattr', [flag, ...files], { stdio: 'ignore' });
}
