import { readClientConfig } from '../../config.ts';
import type { Command } from '../command.ts';
import { ProfileFile } from '../credentials/profiles.ts';
import { table } from '../output/table.ts';

export const profileList: Command = {
  name: 'profile list',
  usage: '',
  summary: 'List the profiles that `rapsheet login` stored, without their tokens',
  examples: [{ command: 'rapsheet profile list', description: 'See which one is the default' }],
  async run({ print, printMessage, json }) {
    const { byName, selected } = new ProfileFile(readClientConfig().configDir).read();
    const profiles = [...byName].map(([name, { account, url }]) => ({
      name,
      account,
      url,
      default: name === selected,
    }));
    if (profiles.length === 0 && !json)
      return printMessage('There are no profiles: `rapsheet login` adds one.');
    print(
      { profiles },
      table(
        ['NAME', 'ACCOUNT', 'SERVER', 'DEFAULT'],
        profiles.map((one) => [one.name, one.account, one.url, one.default ? 'yes' : '']),
      ),
    );
  },
};
