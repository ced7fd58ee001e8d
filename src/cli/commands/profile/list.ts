import { readClientConfig } from '../../../config.ts';
import type { Command } from '../../command.ts';
import { ProfileFile } from '../../credentials/profiles.ts';
import { outputOption } from '../../output/format.ts';
import { type Columns, Pages } from '../../output/list.ts';

export const profileList: Command = {
  usage: '',
  options: outputOption,
  examples: [{ command: 'rapsheet profile list', description: 'See which one is the default' }],
  async run(input) {
    const { byName, selected } = new ProfileFile(readClientConfig().configDir).read();
    const profiles = [...byName].map(([name, { account, url }]) => ({
      name,
      account,
      url,
      default: name === selected,
    }));
    if (profiles.length === 0 && !input.json)
      input.printMessage('There are no profiles: `rapsheet login` adds one.');
    new Pages(input, profileColumns).show({ profiles }, profiles);
  },
};

interface ListedProfile {
  readonly name: string;
  readonly account: string;
  readonly url: string;
  readonly default: boolean;
}

const profileColumns: Columns<ListedProfile> = [
  { name: 'name', title: 'NAME', value: ({ name }) => name },
  { name: 'account', title: 'ACCOUNT', value: ({ account }) => account },
  { name: 'url', title: 'SERVER', value: ({ url }) => url },
  {
    name: 'default',
    title: 'DEFAULT',
    value: (profile) => profile.default,
    text: (profile) => (profile.default ? 'yes' : ''),
  },
];
