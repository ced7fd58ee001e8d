import type { Config } from '../../config.ts';
import { storeLocation } from '../../server/find-store.ts';
import { serverUrl } from '../../server/server-url.ts';
import { table } from '../output/table.ts';
import type { DemoAccount, DemoCounts, DemoReport } from './history.ts';

export interface RoleLink {
  readonly role: string;
  readonly account: string;
  readonly link: string;
}

/** What the command has made. */
export interface Demo {
  readonly history: {
    readonly accounts: readonly Omit<DemoAccount, 'id'>[];
    readonly reports: ReadonlyMap<object, DemoReport>;
    readonly counts: Readonly<DemoCounts>;
  };
  readonly links: readonly RoleLink[];
  /** The report that the printed calls are about. */
  readonly shown: DemoReport;
  readonly adminTokenFile: string | null;
}

export function demoSummary(made: Demo, config: Config): string {
  const { history, links, adminTokenFile } = made;
  const { accounts, reports, counts } = history;
  const { services, deletions, samples, uploads } = counts;
  const rows = accounts.map(({ name, token, who }) => [name, token, who]);
  const admin = adminTokenFile === null ? '' : `\nThe token of "admin" is in ${adminTokenFile}.\n`;
  const linkRows = links.map(({ role, account, link }) => [role, account, link]);
  return `The store in ${storeLocation(config)} has ${services} services, ${accounts.length} accounts, ${reports.size} reports (${deletions} more were deleted), ${uploads} uploaded files and ${samples} imported analyses. All of it is invented.

${table(['ACCOUNT', 'TOKEN, SHOWN ONLY ONCE', 'WHO IT IS'], rows)}
${admin}
Start the server (npm start) with the same settings and open one of these links in a browser. Each signs in once,
within 7 days. If it listens elsewhere than on ${serverUrl(config)}, rapsheet account link <account> makes another:

${table(['AS', 'ACCOUNT', 'LINK'], linkRows)}

Or on the command line, as alice:

  echo ${tokenOf(history, 'alice')} | rapsheet login --url ${serverUrl(config)} --token-file -
  rapsheet whoami

Or by program: fetch, look up, report, and delete as the service's owner.

${calls(made, config)}`;
}

function tokenOf({ accounts }: Demo['history'], name: string): string | undefined {
  return accounts.find((account) => account.name === name)?.token;
}

function calls({ history, shown }: Demo, config: Config): string {
  const url = serverUrl(config);
  const feed = `${url}/feed/ply/api`;
  return `  TOKEN=${tokenOf(history, 'alice')}
  OWNER=${tokenOf(history, 'ply-abuse')}
  curl -sw '\\n' "${feed}?report=${shown.id}" -H "Authorization: $TOKEN"
  curl -sw '\\n' ${url}/private/sample/${shown.sha256} -H "Authorization: $TOKEN"
  curl -sw '\\n' ${feed} -H "Authorization: $TOKEN" -H 'Content-Type: application/json' -d '{"c2Address":"night.ply.example:4444","file256Hash":"${shown.sha256}","tags":["rat"],"confidenceScore":90}'
  curl -sw '\\n' -X DELETE "${feed}?report=${shown.id}" -H "Authorization: $OWNER"`;
}
