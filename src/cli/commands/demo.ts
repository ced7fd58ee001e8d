import { type Config, listenUrl, readConfig } from '../../config.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import { createFirstAdmin } from '../../server/first-admin.ts';
import { type Command, CommandError } from '../command.ts';
import { createDemoData, type DemoData } from '../demo-data.ts';
import { table } from '../output/table.ts';
import { onStore } from '../store-command.ts';

export const demo: Command = {
  name: 'demo',
  usage: '',
  summary: 'Fill a new store with invented services, accounts, reports and analysed files',
  async run(input) {
    const config = readConfig();
    const { data, adminTokenFile } = await onStore(input, async (deps) => {
      await refuseUsedStore(deps, config);
      return {
        adminTokenFile: (await createFirstAdmin(config, deps))?.newToken?.file ?? null,
        data: await createDemoData(deps),
      };
    });
    const reports = [...data.reports.values()];
    input.print({ ...data, reports, adminTokenFile }, summaryOf(data, config, adminTokenFile));
  },
};

/** A store without services has no reports. */
async function refuseUsedStore(deps: Dependencies, config: Config): Promise<void> {
  const services = await deps.store.services.list();
  const accounts = await deps.store.accounts.list({ limit: 2 }, deps.now());
  if (services.length === 0 && accounts.every(({ name }) => name === 'admin')) return;
  throw new CommandError(
    `the store in ${config.dataDir} is already in use, and the demo would add invented data to it: set RAPSHEET_DATA_DIR to a new folder`,
  );
}

function summaryOf(data: DemoData, config: Config, adminTokenFile: string | null): string {
  const { services, accounts, reports, deletions, samples } = data;
  const rows = accounts.map(({ name, token, who }) => [name, token, who]);
  const admin = adminTokenFile === null ? '' : `\nThe token of "admin" is in ${adminTokenFile}.\n`;
  return `The store in ${config.dataDir} has ${services} services, ${accounts.length} accounts, ${reports.size} reports (${deletions} more were deleted) and ${samples} analysed files. All of it is invented.

${table(['ACCOUNT', 'TOKEN, SHOWN ONLY ONCE', 'WHO IT IS'], rows)}
${admin}
Start the service (npm start), then: fetch, look up, report, and delete as the service's owner.

${calls(data, config)}`;
}

function calls({ accounts, reports }: DemoData, config: Config): string {
  const url = config.baseUrl ?? listenUrl(config);
  const last = [...reports.values()].filter(({ service }) => service === 'ply').at(-1);
  const tokenOf = (name: string) => accounts.find((account) => account.name === name)?.token;
  const feed = `${url}/feed/ply/api`;
  return `  TOKEN=${tokenOf('alice')}
  OWNER=${tokenOf('ply-abuse')}
  curl -sw '\\n' "${feed}?report=${last?.id}" -H "Authorization: $TOKEN"
  curl -sw '\\n' ${url}/private/sample/${last?.sha256} -H "Authorization: $TOKEN"
  curl -sw '\\n' ${feed} -H "Authorization: $TOKEN" -H 'Content-Type: application/json' -d '{"c2Address":"night.ply.example:4444","file256Hash":"${last?.sha256}","tags":["rat"],"confidenceScore":90}'
  curl -sw '\\n' -X DELETE "${feed}?report=${last?.id}" -H "Authorization: $OWNER"`;
}
