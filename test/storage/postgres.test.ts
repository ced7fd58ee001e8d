import { after } from 'node:test';
import { openPostgresDatabase } from '../../src/server/open-postgres-database.ts';
import { newStoreDatabase, type TestDatabase } from '../postgres.ts';
import { accountLimitsContract } from './contracts/account-limits-contract.ts';
import { accountsContract } from './contracts/accounts-contract.ts';
import { chargesContract } from './contracts/charges-contract.ts';
import { clockContract } from './contracts/clock-contract.ts';
import { evidenceContract } from './contracts/evidence-contract.ts';
import { feedsContract } from './contracts/feeds-contract.ts';
import { importContract } from './contracts/import-contract.ts';
import { listContract } from './contracts/list-contract.ts';
import { mailContract } from './contracts/mail-contract.ts';
import { mispContract } from './contracts/misp-contract.ts';
import { permissionContract } from './contracts/permission-contract.ts';
import { proposalHistoriesContract } from './contracts/proposal-histories-contract.ts';
import { proposalsContract } from './contracts/proposals-contract.ts';
import { publishedContract } from './contracts/published-contract.ts';
import { reanalysisContract } from './contracts/reanalysis-contract.ts';
import { renamesContract } from './contracts/renames-contract.ts';
import { sampleC2Contract } from './contracts/sample-c2-contract.ts';
import { samplesContract } from './contracts/samples-contract.ts';
import { searchContract } from './contracts/search-contract.ts';
import { ownershipContract } from './contracts/services/ownership-contract.ts';
import { routesContract } from './contracts/services/routes-contract.ts';
import { webhookDeliveriesContract } from './contracts/services/webhook-deliveries-contract.ts';
import { sessionsContract } from './contracts/sessions-contract.ts';
import { statisticsContract } from './contracts/statistics/feed-contract.ts';
import { trustContract } from './contracts/statistics/trust-contract.ts';
import { storeContract, testForms } from './contracts/store-contract.ts';
import { subjectsContract } from './contracts/subjects-contract.ts';

const databases: TestDatabase[] = [];
after(async () => {
  for (const database of databases) await database.drop();
});

async function open() {
  const database = await newStoreDatabase();
  databases.push(database);
  const log = { error: () => undefined, warn: () => undefined };
  return await openPostgresDatabase({
    url: database.url,
    poolSize: 10,
    serializers: testForms,
    log,
  });
}

const openStore = async () => (await open()).store;

storeContract('postgres', openStore);
accountLimitsContract('postgres', openStore);
accountsContract('postgres', openStore);
feedsContract('postgres', openStore);
listContract('postgres', openStore);
publishedContract('postgres', openStore);
evidenceContract('postgres', openStore);
renamesContract('postgres', openStore);
sessionsContract('postgres', openStore);
reanalysisContract('postgres', open);
samplesContract('postgres', open);
permissionContract('postgres', openStore);
searchContract('postgres', openStore);
sampleC2Contract('postgres', openStore);
importContract('postgres', openStore);
routesContract('postgres', openStore, 15);
subjectsContract('postgres', openStore);
chargesContract('postgres', openStore);
mailContract('postgres', openStore);
webhookDeliveriesContract('postgres', openStore);
mispContract('postgres', openStore);
ownershipContract('postgres', openStore);
statisticsContract('postgres', openStore);
trustContract('postgres', openStore);
proposalsContract('postgres', openStore);
proposalHistoriesContract('postgres', openStore);
clockContract('postgres', openStore);
