import { SETTINGS, type Setting } from '../../src/config/settings.ts';
import { describeSetting } from '../../src/config/settings-in-force.ts';
import { GENERATED, markdownTable } from './markdown.ts';

const SERVER = `# Configuration

Settings are environment variables, or lines \`NAME=value\` of the file that \`RAPSHEET_CONFIG_FILE\` names; the environment takes
precedence. An empty value counts as unset. Without any settings a working server starts, on the loopback address and with its data in
\`${SETTINGS.dataDir.default}\`.

An invalid setting stops the start: the program prints every problem with the name of its variable. The log warns of variables that
begin with \`RAPSHEET_\` and name no setting. A setting marked "also \`_FILE\`" can
be given as a file: \`RAPSHEET_ADMIN_TOKEN_FILE\` names a file that contains the token.

## The server, and commands that work on its store
`;

const CLIENT = `
## Commands that call a server

Commands that call a server, such as \`report add\`, \`lookup\` and \`feed follow\`, are HTTP clients and need only these. \`--url\`,
\`--token-file\` and \`--profile\` take precedence over them, and they over the profile that \`rapsheet login\` stored ([credentials](command-line.md#sign-in-to-a-server)).
The token in \`admin-token\` in the data folder is used only if it is named. A token is never an argument, because other users of the machine
can see arguments.
`;

/** The page that lists every setting, generated from the table of settings. */
export function configurationPage(server: readonly Setting[], client: readonly Setting[]): string {
  return `${GENERATED}\n\n${SERVER}\n${table(server)}${CLIENT}\n${table(client)}`;
}

function table(settings: readonly Setting[]): string {
  return markdownTable(
    ['Name', 'Default', 'Purpose'],
    settings.map((setting) => {
      const { name, default: byDefault, purpose } = describeSetting(setting);
      return [`\`${name}\``, byDefault, purpose];
    }),
  );
}
