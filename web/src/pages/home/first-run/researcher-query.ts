import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';
import type { Me } from '../../../api/session.ts';

/** Whether somebody else may report. Asked by administrators only. */
export function researcherQuery(me: Me) {
  return queryOptions({
    queryKey: ['first-run', 'researchers', me.id],
    queryFn: async () => {
      const { accounts } = await client.listAccounts({ limit: 100 });
      return accounts.some(({ id, roles }) => id !== me.id && roles.includes('researcher'));
    },
  });
}
