import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { TestInstallation } from '../../installation.ts';
import { eventually } from '../../until.ts';
import { compare, unsettled } from '../cluster/compare.ts';
import { type Counts, countsOf, Load, type LoadResults } from '../cluster/load.ts';
import { Readers } from './readers.ts';
import { SingleServer } from './single-server.ts';
import { SmallDisk } from './small-disk.ts';

/** The folder on the small disk: the whole data folder, or that of the samples alone. */
export type FullFolder = 'data' | 'samples';

export interface DiskFullPlan {
  readonly folder: FullFolder;
  /** How long the load continues after the disk is full. */
  readonly fullMs: number;
}

export interface DiskFullResult extends Counts {
  /** The number of reads that were served while the disk was full. */
  readonly readsWhileFull: number;
  readonly broken: readonly string[];
}

/** The disk is full within seconds, and has enough space when the ballast is removed. */
const SIZES_MIB = { data: { disk: 240, ballast: 228 }, samples: { disk: 64, ballast: 60 } };
const FULL_WITHIN_MS = 120_000;
/** The disk counts as full after this many refused calls. */
const FULL_AFTER = 20;

/**
 * Runs a load until the disk is full, and for a while after that. Then frees space: the server must
 * recover without a restart.
 */
export async function diskFull({ folder, fullMs }: DiskFullPlan): Promise<DiskFullResult> {
  const installation = new TestInstallation();
  const server = new SingleServer(installation);
  const { disk: sizeMib, ballast } = SIZES_MIB[folder];
  const folderPath =
    folder === 'data' ? installation.dataDir : join(installation.dataDir, 'samples');
  const disk = new SmallDisk(folderPath, sizeMib);
  try {
    await server.start();
    disk.addBallast(ballast);
    const { token, account } = await server.prepare();
    const load = new Load(server, token, { uploadEveryMs: 100 });
    const readers = new Readers(server, token, load);
    const broken: string[] = [];

    const isFull = () =>
      refusingKinds(folder).every((kind) => load.results.refusedByKind[kind] > FULL_AFTER);
    if (!(await eventually(async () => isFull(), Boolean, FULL_WITHIN_MS)))
      broken.push(`nothing was refused: ${JSON.stringify(load.results.refusedByKind)}`);
    const before = readers.served;
    await pause(fullMs);
    const readsWhileFull = readers.served - before;
    if (readsWhileFull === 0) broken.push('no read was served while the disk was full');

    disk.removeBallast();
    if (!(await load.makesProgress()))
      broken.push('nothing was acknowledged after space was freed');
    const accepted = load.results.samples.size;
    await eventually(
      async () => load.results.samples.size,
      (size) => size > accepted,
      FULL_WITHIN_MS,
    );
    if (load.results.samples.size === accepted)
      broken.push('no sample was accepted after space was freed');
    const results = await load.stop();
    await readers.stop();
    if (readers.refused > 0) broken.push(`${readers.refused} reads were refused`);
    if (folder === 'samples' && results.refusedByKind.create + results.refusedByKind.lookup > 0)
      broken.push('calls were refused that need no sample');
    broken.push(
      ...results.broken,
      ...readers.broken,
      ...(await unsettled(server.client(), results)),
    );
    broken.push(...(await compare((sql) => server.query(sql), results, account.id)));

    await server.end('SIGKILL');
    await server.start();
    const after = await compare((sql) => server.query(sql), results, account.id);
    broken.push(...after.map((one) => `after kill -9: ${one}`));
    broken.push(...(await unsettled(server.client(), results)));
    await server.end('SIGTERM');
    broken.push(...(await server.examine()));
    return {
      ...countsOf(results),
      readsWhileFull,
      broken,
    };
  } finally {
    await server.end('SIGKILL');
    disk.remove();
    await installation.close();
  }
}

function refusingKinds(folder: FullFolder): readonly (keyof LoadResults['refusedByKind'])[] {
  return folder === 'data' ? ['create', 'lookup'] : ['upload'];
}
