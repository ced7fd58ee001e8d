import { readClientConfig } from '../../../config.ts';
import type { Command } from '../../command.ts';
import { ProfileFile, requireProfile } from '../../credentials/profiles.ts';
import { visible } from '../../output/show.ts';

export const profileUse: Command = {
  usage: '<name>',
  arguments: { '<name>': 'The name of a profile in `rapsheet profile list`' },
  examples: [{ command: 'rapsheet profile use operator', description: 'Call as the operator' }],
  positionals: [1, 1],
  async run({ positionals, print }) {
    const file = new ProfileFile(readClientConfig().configDir);
    const profiles = file.read();
    const { name, account, url } = requireProfile(profiles, positionals[0]);
    await file.write({ ...profiles, selected: name });
    print(
      { profile: name, url, account },
      `Commands call ${url} as ${visible(account)} by default.`,
    );
  },
};
