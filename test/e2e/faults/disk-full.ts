import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { TestInstallation } from '../../installation.ts';
import { eventually } from '../../until.ts';
import { compare, unsettled } from '../cluster/compare.ts';
import { type Counts, countsOf, Load, type Told } from '../cluster/load.ts';
import { OneServer } from './one-server.ts';
import { Readers } from './readers.ts';
import { SmallDisk } from './small-disk.ts';

/**
 * Which of its folders is on the disk that gets full: all of them, or that of the samples alone.
 */
export type FullFolder = 'data' | 'samples';

export interface DiskFullPlan {
  readonly folder: FullFolder;
  /** How long callers go on after it is full. */
  readonly fullMs: number;
}

export interface DiskFullResult extends Counts {
  /** Answered while the disk was full. */
  readonly readsWhileFull: number;
  readonly broken: readonly string[];
}

/** So that it is full within seconds, and has room for as much again once the ballast is gone. */
const SIZES_MIB = { data: { disk: 240, ballast: 228 }, samples: { disk: 64, ballast: 60 } };
const FULL_WITHIN_MS = 120_000;
/** Refused calls by which it is known that it was not by chance. */
const FULL_AFTER = 20;

/**
 * Callers go on until the disk is full, and after that; then there is room again, and nobody
 * restarts anything.
 */
export async function diskFull({ folder, fullMs }: DiskFullPlan): Promise<DiskFullResult> {
  const installation = new TestInstallation();
  const site = new OneServer(installation);
  const { disk: sizeMib, ballast } = SIZES_MIB[folder];
  const folderPath =
    folder === 'data' ? installation.dataDir : join(installation.dataDir, 'samples');
  const disk = new SmallDisk(folderPath, sizeMib);
  try {
    await site.start();
    disk.putBallast(ballast);
    const { token, account } = await site.prepare();
    const load = new Load(site, token, { uploadEveryMs: 100 });
    const readers = new Readers(site, token, load);
    const broken: string[] = [];

    const isFull = () =>
      whatRefuses(folder).every((kind) => load.told.refusedOf[kind] > FULL_AFTER);
    if (!(await eventually(async () => isFull(), Boolean, FULL_WITHIN_MS)))
      broken.push(`nothing was refused: ${JSON.stringify(load.told.refusedOf)}`);
    const before = readers.served;
    await pause(fullMs);
    const readsWhileFull = readers.served - before;
    if (readsWhileFull === 0) broken.push('nobody could read while the disk was full');

    disk.throwBallast();
    if (!(await load.goesOn())) broken.push('nothing was acknowledged after there was room again');
    const taken = load.told.samples.size;
    await eventually(
      async () => load.told.samples.size,
      (size) => size > taken,
      FULL_WITHIN_MS,
    );
    if (load.told.samples.size === taken) broken.push('no sample was taken in after that');
    const told = await load.stop();
    await readers.stop();
    if (readers.refused > 0) broken.push(`${readers.refused} reads were refused`);
    if (folder === 'samples' && told.refusedOf.create + told.refusedOf.lookup > 0)
      broken.push('calls were refused that need no sample');
    broken.push(...told.broken, ...readers.broken, ...(await unsettled(site.client(), told)));
    broken.push(...(await compare((sql) => site.look(sql), told, account.id)));

    await site.end('SIGKILL');
    await site.start();
    const after = await compare((sql) => site.look(sql), told, account.id);
    broken.push(...after.map((one) => `after kill -9: ${one}`));
    broken.push(...(await unsettled(site.client(), told)));
    await site.end('SIGTERM');
    broken.push(...(await site.examine()));
    return {
      ...countsOf(told),
      readsWhileFull,
      broken,
    };
  } finally {
    await site.end('SIGKILL');
    disk.remove();
    await installation.close();
  }
}

function whatRefuses(folder: FullFolder): readonly (keyof Told['refusedOf'])[] {
  return folder === 'data' ? ['create', 'lookup'] : ['upload'];
}
