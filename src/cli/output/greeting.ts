import { existsSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { adminTokenFile, type NewAdminToken } from '../../server/first-admin.ts';

/** What only the first start on a terminal shows. */
export interface FirstSecrets {
  readonly newAdminToken?: NewAdminToken | undefined;
  /** A sign-in link for the account `admin`. */
  readonly link?: string;
}

/** Where the server listens and how to sign in; at the first start also calls to paste. */
export function greeting(url: string, config: Config, secrets: FirstSecrets = {}): string {
  const base = config.baseUrl ?? url;
  const { newAdminToken, link } = secrets;
  const { tokenNote, adminToken } = adminTokenOf(newAdminToken, config);
  return `
Rapsheet listens on ${url}    reference: ${base}/docs    data: ${config.dataDir}

${tokenNote}

${linkNote(link)}
${link === undefined ? '' : firstCalls({ base, analysis: config.analysisUrl ?? url, adminToken })}
Stop with Ctrl-C.
`;
}

interface CallTargets {
  readonly base: string;
  readonly analysis: string;
  readonly adminToken: string;
}

/** They work on a new store, which knows no file before the upload. */
function firstCalls({ base, analysis, adminToken }: CallTargets): string {
  return `
In a second shell, create a service and a researcher, and upload a file of yours (this one is invented):

  curl -s ${base}/admin/services -H "Authorization: ${adminToken}" -H 'Content-Type: application/json' -d '{"slug":"tryout"}'
  TOKEN=$(curl -s ${base}/admin/accounts -H "Authorization: ${adminToken}" -H 'Content-Type: application/json' -d '{"name":"tester","roles":["researcher"]}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  HASH=$(printf 'an invented file' | curl -s ${analysis}/private/upload -H "Authorization: $TOKEN" -H 'Prefer: wait=30' -F 'file=@-;filename=first.txt' | sed 's/.*"sha256Hash":"\\([^"]*\\)".*/\\1/')

Then the four operations: report, fetch, look up, delete.

  ID=$(curl -s ${base}/feed/tryout/api -H "Authorization: $TOKEN" -H 'Content-Type: application/json' -d '{"c2Address":"tunnel.tryout.example:4444","file256Hash":"'"$HASH"'","tags":["asyncrat"],"confidenceScore":80}' | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
  curl -s "${base}/feed/tryout/api?report=$ID" -H "Authorization: $TOKEN"
  curl -s ${analysis}/private/sample/$HASH -H "Authorization: $TOKEN"
  curl -s -X DELETE "${base}/feed/tryout/api?report=$ID" -H "Authorization: $TOKEN"
`;
}

const IN_A_CLONE = 'In a clone of the repository, rapsheet is: npm run -s rapsheet --';

function linkNote(link: string | undefined): string {
  if (link === undefined)
    return `To sign in from a browser, create a link:\n\n  rapsheet account link admin\n\n${IN_A_CLONE}`;
  return `To sign in from a browser, open this link; it is good once, for 15 minutes:\n\n  ${link}`;
}

/** Where the token of the first account is, and a shell expression for it. */
function adminTokenOf(newAdminToken: NewAdminToken | undefined, config: Config) {
  const tokenFile = adminTokenFile(config);
  const adminToken = `$(cat ${tokenFile})`;
  if (newAdminToken !== undefined)
    return {
      tokenNote: `The account "admin" was created. Its token, shown only now and stored in ${newAdminToken.file}:\n\n  ${newAdminToken.token}`,
      adminToken,
    };
  if (config.adminToken !== undefined)
    return {
      tokenNote: 'The token of the account "admin" is the one in RAPSHEET_ADMIN_TOKEN.',
      adminToken: '$RAPSHEET_ADMIN_TOKEN',
    };
  if (existsSync(tokenFile))
    return {
      tokenNote: `The token of the account "admin" is in ${tokenFile}, which the first start created.`,
      adminToken,
    };
  return {
    tokenNote:
      'The token of the account "admin" is not on this machine. To issue another one:\n\n  ADMIN=$(rapsheet token issue admin)',
    adminToken: '$ADMIN',
  };
}
