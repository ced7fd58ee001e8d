import { GENERATED, markdownTable } from './markdown.ts';

interface Setting {
  readonly name: string;
  readonly fallback: string;
  readonly purpose: string;
}

const SERVER = `# Configuration

Settings are environment variables, or lines \`NAME=value\` of the file that \`RAPSHEET_CONFIG_FILE\` names; where both
set one, the environment wins. An empty value counts as none. With no settings at all a working server starts, on
the loopback address and with its data in \`./data\`.

What is not right stops the start: every problem is printed with the name of its variable. A setting marked
"also \`_FILE\`" can be given as a file that holds it: \`RAPSHEET_ADMIN_TOKEN_FILE\` names one with the token.

## The server, and commands that work on its store
`;

const CLIENT = `
## Commands that call a server

\`report\`, \`fetch\`, \`delete\`, \`lookup\`, \`upload\` and \`balance\` are clients like any other and need only these. \`--url\` and
\`--token-file\` win over them. Where there is no token and the server is on this machine, they take the one in
\`admin-token\` in the data folder, if they may read it. A token is never an argument: others can see those.
`;

/** The page that lists every setting, from the schema that reads them. */
export function configurationPage(server: readonly Setting[], client: readonly Setting[]): string {
  return `${GENERATED}\n\n${SERVER}\n${table(server)}${CLIENT}\n${table(client)}`;
}

function table(settings: readonly Setting[]): string {
  return markdownTable(
    ['Name', 'Default', 'Purpose'],
    settings.map(({ name, fallback, purpose }) => [
      `\`${name}\``,
      fallback === '' ? '' : `\`${fallback}\``,
      purpose,
    ]),
  );
}
