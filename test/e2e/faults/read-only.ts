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
 * Makes the files of a server on SQLite read-only, as a file system does after an error. Open files
 * stay open, but writes to them fail. Reads must succeed; a lookup cannot spend a unit, and must be
 * refused.
 */
export async function readOnly({ forMs }: { readonly forMs: number }): Promise<ReadOnlyResult> {
  const installation = new TestInstallation();
  const server = new SingleServer(installation);
  // Without the `-shm` file: it is mapped, and a failed write to it would kill the process.
  const { dataDir } = installation;
  const incoming = join(dataDir, 'samples', 'incoming');
  const files = [server.database, `${server.database}-wal`, dataDir, incoming];
  try {
    await server.start();
    const { token, account } = await server.prepare();
    const load = new Load(server, token);
    const readers = new Readers(server, token, load);
    const broken: string[] = [];
    if (!(await load.makesProgress())) broken.push('nothing was acknowledged before the fault');
    chattr('+i', ...files);
    const isRefused = () => KINDS.every((kind) => load.results.refusedByKind[kind] > 0);
    if (!(await eventually(async () => isRefused(), Boolean, REFUSED_WITHIN_MS)))
      broken.push(
        `calls of some kind were not refused: ${JSON.stringify(load.results.refusedByKind)}`,
      );
    const [served, reads] = [load.results.served, readers.served];
    await pause(forMs);
    if (load.results.served > served)
      broken.push(`${load.results.served - served} lookups were served without spending a unit`);
    if (readers.served === reads) broken.push('no read was served');
    chattr('-i', ...files);
    if (!(await load.makesProgress())) broken.push('nothing was acknowledged after the fault');
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
    // Some files may not exist any more.
    for (const path of files) tryChattr('-i', path);
    await installation.close();
  }
}

/** Why an open file cannot be made read-only here. */
export function whyNoReadOnly(): string | false {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-read-only-'));
  const file = join(folder, 'file');
  const handle = openSync(file, 'w');
  try {
    chattr('+i', file);
    writeSync(handle, 'x');
    return 'this file system allows writes to an open file that is read-only';
  } catch (cause) {
    // An error of the program `chattr` has a status.
    if (cause instanceof Error && 'status' in cause)
      return 'needs root, and a file system that supports chattr +i';
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
    // The flag was not set.
  }
}

function chattr(flag: string, ...files: readonly string[]): void {
  execFileSync('chattr', [flag, ...files], { stdio: 'ignore' });
}
