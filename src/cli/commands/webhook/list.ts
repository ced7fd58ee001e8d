import { type Command, CommandError, type CommandInput, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { outputOption } from '../../output/format.ts';
import { Pages, printList } from '../../output/list.ts';
import { webhookColumns } from '../../output/webhook-table.ts';

export const webhookList: Command = {
  usage: '<service>|--all [--service <slug>] [--account <id or name>]',
  arguments: { '<service>': 'The slug of the service, unless --all is given' },
  options: {
    ...connectionOptions,
    ...outputOption,
    all: { type: 'boolean', description: 'List the webhooks of all feeds, as an administrator' },
    service: {
      type: 'string',
      value: '<slug>',
      description: 'With --all, only the webhooks of this feed',
    },
    account: {
      type: 'string',
      value: '<id or name>',
      description: 'With --all, only the webhooks of this account',
    },
  },
  examples: [
    { command: 'rapsheet webhook list ply', description: 'List the webhooks of a feed' },
    {
      command: 'rapsheet webhook list --all --account ply-abuse',
      description: 'List the webhooks of an account',
    },
  ],
  positionals: [0, 1],
  async run(input) {
    const [service] = input.positionals;
    if ((input.options['all'] === true) === (service !== undefined))
      throw new CommandError('give either a service or --all', EXIT.usage);
    if (service === undefined) return listAll(input);
    const found = await connect(input).listWebhooks(service);
    printList(input, { result: found, columns: webhookColumns, rows: found.webhooks });
  },
};

async function listAll(input: CommandInput): Promise<void> {
  const client = connect(input);
  const pages = new Pages(input, webhookColumns);
  const filter = {
    service: input.options['service'] as string | undefined,
    account: input.options['account'] as string | undefined,
  };
  let after: string | undefined;
  do {
    const page = await client.listAllWebhooks({ ...filter, after });
    pages.show(page, page.webhooks);
    after = page.hasMore ? page.webhooks.at(-1)?.id : undefined;
  } while (after !== undefined);
  pages.end();
}
