import { after } from 'node:test';
import { openPostgresDatabase } from '../../src/queue/postgres.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { accountLimitsContract } from './account-limits-contract.ts';
import { clockContract } from './clock-contract.ts';
import { storeContract, testForms } from './contract.ts';
import { feedsContract } from './feeds-contract.ts';
import { importContract } from './import-contract.ts';
import { listContract } from './list-contract.ts';
import { permissionContract } from './permission-contract.ts';
import { renamesContract } from './renames-contract.ts';
import { sampleC2Contract } from './sample-c2-contract.ts';
import { samplesContract } from './samples-contract.ts';
import { searchContract } from './search-contract.ts';

const databases: TestDatabase[] = [];
after(async () => {
  for (const database of databases) await database.drop();
});

async function open() {
  const database = await newDatabase();
  databases.push(database);
  const log = { error: () => undefined, warn: () => undefined };
  const now = () => new Date();
  return await openPostgresDatabase({
    url: database.url,
    poolSize: 10,
    forms: testForms,
    now,
    log,
  });
}

const openStore = async () => (await open()).store;

storeContract('postgres', openStore);
accountLimitsContract('postgres', openStore);
feedsContract('postgres', openStore);
listContract('postgres', openStore);
renamesContract('postgres', openStore);
samplesContract('postgres', open);
permissionContract('postgres', openStore);
searchContract('postgres', openStore);
sampleC2Contract('postgres', openStore);
importContract('postgres', openStore);
clockContract('postgres', openStore);
