import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openPostgresDatabase } from '../../src/server/open-postgres-database.ts';
import { newDatabase } from '../postgres.ts';
import { type ChecksRig, checksContract } from './contracts/checks-contract.ts';
import { testForms } from './contracts/store-contract.ts';
import { fillStore } from './filled.ts';

const log = { error: () => undefined, warn: () => undefined };
const openStore = (url: string) =>
  openPostgresDatabase({ url, poolSize: 3, serializers: testForms, log });

/** Removes the constraints that would refuse the damage. */
const WITHOUT_RULES = `
  do $$
  declare rule record;
  begin
    for rule in
      select conrelid::regclass as owner, conname from pg_constraint
      where contype in ('f', 'c') and connamespace = 'public'::regnamespace
    loop
      execute format('alter table %s drop constraint %I', rule.owner, rule.conname);
    end loop;
  end $$`;

async function runOn(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function open(): Promise<ChecksRig> {
  const whole = await newDatabase();
  const at = (name: string) => Object.assign(new URL(whole.url), { pathname: `/${name}` }).href;
  const { store } = await openStore(whole.url);
  const filled = await fillStore(store);
  await store.close();
  await whole.run(WITHOUT_RULES);
  const template = new URL(whole.url).pathname.slice(1);
  return {
    filled,
    async copy() {
      const name = `checks_${randomBytes(6).toString('hex')}`;
      await runOn(at('postgres'), `create database ${name} template ${template}`);
      const { store: copy } = await openStore(at(name));
      return {
        store: copy,
        run: (sql) => runOn(at(name), sql),
        async close() {
          await copy.close();
          await runOn(at('postgres'), `drop database ${name} with (force)`);
        },
      };
    },
    close: () => whole.drop(),
  };
}

checksContract('postgres', open, { loseJobs: 'delete from pgboss.job' });
