import type { ServicePage } from '../../client/wire.ts';
import type { CommandInput } from '../command.ts';
import { connect } from '../connection.ts';

const PAGE = 1000;

/** All services of the server that the command calls. */
export async function servicesOfServer(
  input: Pick<CommandInput, 'options'>,
): Promise<ServicePage['services']> {
  const client = connect(input);
  const found: ServicePage['services'][number][] = [];
  let page: ServicePage | undefined;
  do {
    page = await client.services({ limit: PAGE, cursor: page?.nextCursor ?? undefined });
    found.push(...page.services);
  } while (page.hasMore);
  return found;
}
