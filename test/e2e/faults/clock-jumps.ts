import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { withClockFile } from '../../faketime.ts';
import { TestInstallation } from '../../installation.ts';
import { eventually } from '../../until.ts';
import { compare, type Query, unsettled } from '../cluster/compare.ts';
import { type Counts, countsOf, Load } from '../cluster/load.ts';
import { OwnPostgres } from '../cluster/own-postgres.ts';
import { Readers } from './readers.ts';
import { SingleServer } from './single-server.ts';

export interface ClockJumpsPlan {
  /** Offsets of the clock, one after the other, such as `+366d`. */
  readonly offsets: readonly string[];
  /** How long the load continues after each jump. */
  readonly forMs: number;
  /** The folder of the PostgreSQL programs; SQLite without it. */
  readonly programs?: string;
}

export interface ClockJumpsResult extends Counts {
  readonly broken: readonly string[];
}

const DATABASE = 'postgres';
const NO_OFFSET = '+0d';
const READY_WITHIN_MS = 60_000;

/**
 * Sets the clock of a server forwards and back under load. No report may expire, no sequence and no
 * unit be lost. With PostgreSQL, whose clock is right, the node says that it is not ready.
 */
export async function clockJumps(plan: ClockJumpsPlan): Promise<ClockJumpsResult> {
  const { programs } = plan;
  const database = programs === undefined ? undefined : await OwnPostgres.create(programs);
  const installation = new TestInstallation();
  const file = installation.file('clock', NO_OFFSET);
  const settings = {
    ...withClockFile(file),
    ...(database && { RAPSHEET_DATABASE_URL: database.urlOf(DATABASE) }),
  };
  const server = new SingleServer(installation, settings);
  const query: Query = (sql) => database?.run(DATABASE, sql) ?? server.query(sql);
  try {
    await server.start();
    const jump = (offset: string) => writeFileSync(file, offset);
    return await runWhileJumping(server, query, { ...plan, jump });
  } finally {
    await installation.close();
    await database?.remove();
  }
}

async function runWhileJumping(
  server: SingleServer,
  query: Query,
  { offsets, forMs, programs, jump }: ClockJumpsPlan & { jump(offset: string): void },
): Promise<ClockJumpsResult> {
  const { token, account } = await server.prepare();
  const load = new Load(server, token);
  const readers = new Readers(server, token, load);
  const broken: string[] = [];
  const expectReady = async (expected: number, when: string) => {
    const [url] = server.urls;
    const status = await eventually(
      async () => (await fetch(`${url}/readyz`)).status,
      (code) => code === expected,
      READY_WITHIN_MS,
    );
    if (status !== expected) broken.push(`/readyz answers ${status} ${when}`);
  };
  if (!(await load.makesProgress())) broken.push('nothing was acknowledged before the first jump');
  for (const offset of offsets) {
    jump(offset);
    await expectReady(programs === undefined ? 200 : 503, `after a jump by ${offset}`);
    await pause(forMs);
    if (!(await load.makesProgress())) broken.push(`nothing was acknowledged at ${offset}`);
  }
  jump(NO_OFFSET);
  await expectReady(200, 'after the clock was corrected');
  if (!(await load.makesProgress())) broken.push('nothing was acknowledged after the correction');
  const results = await load.stop();
  await readers.stop();
  if (results.refused + readers.refused > 0) broken.push('calls were refused');
  broken.push(...results.broken, ...readers.broken, ...(await unsettled(server.client(), results)));
  broken.push(...(await compare(query, results, account.id)));
  return { ...countsOf(results), broken };
}
