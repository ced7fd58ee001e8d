import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { newTokenText } from '../../../src/operations/accounts/issue-token.ts';
import { TestInstallation } from '../../installation.ts';
import { OwnPostgres } from '../cluster/own-postgres.ts';
import { clientOf } from '../server-setup.ts';
import { Creates, idsInTaxii } from './creates.ts';

export interface MoveTrial {
  /** The folder of the PostgreSQL programs. */
  readonly programs: string;
  readonly from: 'sqlite' | 'postgres';
  /** How long the server is called before the move and after its refusal. */
  readonly forMs: number;
}

export interface MoveTrialResult {
  readonly acknowledged: number;
  readonly broken: readonly string[];
}

/**
 * Moves a store under a running server, which is refused, and then without it. The target has every
 * acknowledged report, and no server starts on the source.
 */
export async function moveUnderServer(trial: MoveTrial): Promise<MoveTrialResult> {
  const database = await OwnPostgres.create(trial.programs);
  const installation = new TestInstallation();
  const locations = [`sqlite:${join(installation.folder, 'store.db')}`, database.urlOf('postgres')];
  const [from = '', to = ''] = trial.from === 'sqlite' ? locations : locations.toReversed();
  try {
    return await move(installation, { from, to, forMs: trial.forMs });
  } finally {
    await installation.close();
    await database.remove();
  }
}

async function move(
  installation: TestInstallation,
  { from, to, forMs }: { readonly from: string; readonly to: string; readonly forMs: number },
): Promise<MoveTrialResult> {
  const broken: string[] = [];
  const adminToken = newTokenText({ randomBytes });
  const settings = { RAPSHEET_DATABASE_URL: from, RAPSHEET_ADMIN_TOKEN: adminToken };
  const migrate = () => installation.runAlone(['migrate', '--from', from, '--to', to]);
  const server = await installation.server(settings);
  const admin = clientOf(server.url, adminToken);
  await admin.addService({ slug: 'ply' });
  const { token } = await admin.addAccount({ name: 'alice', roles: ['researcher'] });
  const creates = new Creates(server.url, token);
  await pause(forMs);
  const refused = await migrate();
  if (refused.code !== 1 || !/stop (it|these) first/.test(refused.stderr))
    broken.push(`the move under a server ended with ${refused.code}: ${refused.stderr}`);
  const before = creates.acknowledged.length;
  await pause(forMs);
  if (creates.acknowledged.length === before) broken.push('the server does not go on');
  await creates.stop();
  await server.end('SIGTERM');
  const moved = await migrate();
  if (moved.code !== 0) broken.push(`the move ended with ${moved.code}: ${moved.stderr}`);
  const again = await installation.runAlone(['serve'], {
    settings: { ...settings, RAPSHEET_PORT: '0' },
  });
  if (again.code !== 1 || !/this store was moved/.test(again.stderr))
    broken.push(`a server on the source ended with ${again.code}: ${again.stderr}`);
  const target = await installation.server({ ...settings, RAPSHEET_DATABASE_URL: to });
  const shown = await idsInTaxii(target.url, token);
  const missing = creates.acknowledged.filter((id) => !shown.has(id));
  if (missing.length > 0) broken.push(`${missing.length} reports are not in the target`);
  await target.end('SIGTERM');
  return { acknowledged: creates.acknowledged.length, broken };
}
