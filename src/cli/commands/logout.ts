import { readClientConfig } from '../../config.ts';
import type { Command } from '../command.ts';
import { ProfileFile, requireProfile } from '../credentials/profiles.ts';
import { connectionOptions } from '../options/connection-options.ts';
import { visible } from '../output/show.ts';

export const logout: Command = {
  usage: '[--profile <name>]',
  options: {
    profile: {
      ...connectionOptions.profile,
      description: 'The profile to remove; by default that which commands use',
    },
  },
  examples: [
    { command: 'rapsheet logout', description: 'Remove the default profile' },
    { command: 'rapsheet logout --profile operator', description: 'Remove another profile' },
  ],
  async run({ options, print }) {
    const config = readClientConfig();
    const file = new ProfileFile(config.configDir);
    const profiles = file.read();
    const name = (options['profile'] as string | undefined) ?? config.profile;
    const removed = requireProfile(profiles, name);
    const byName = new Map(profiles.byName);
    byName.delete(removed.name);
    const wasDefault = profiles.selected === removed.name;
    await file.write({ byName, selected: wasDefault ? undefined : profiles.selected });
    const next =
      wasDefault && byName.size > 0
        ? '\nThere is no default profile now: choose one with `rapsheet profile use <name>`.'
        : '';
    print(
      { profile: removed.name, url: removed.url, account: removed.account },
      `Removed profile ${removed.name} (${visible(removed.account)} at ${removed.url}). Its token stays valid until it is revoked.${next}`,
    );
  },
};
