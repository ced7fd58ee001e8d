import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** Deliveries are not part of the live stream, so they are polled while they are shown. */
const POLL_MS = 4000;
const PAGE_SIZE = 50;
const CREATED = 'report.created' as const;
const TEST = 'webhook.test' as const;

/** The webhooks of a feed, for its owners. */
export function webhooksQuery(service: string) {
  return queryOptions({
    queryKey: ['feed', service, 'webhooks'],
    queryFn: async () => (await client.listWebhooks(service)).webhooks,
    refetchOnMount: 'always',
    refetchInterval: 5 * POLL_MS,
  });
}

/** The log of a webhook, newest first. */
export function deliveriesQuery(service: string, webhook: string, state: string) {
  return infiniteQueryOptions({
    queryKey: ['feed', service, 'webhooks', webhook, 'deliveries', state],
    queryFn: ({ pageParam }) =>
      client.listDeliveries(service, webhook, {
        limit: PAGE_SIZE,
        ...(state !== '' && { state }),
        ...(pageParam !== '' && { before: pageParam }),
      }),
    initialPageParam: '',
    getNextPageParam: ({ deliveries, hasMore }) => (hasMore ? deliveries.at(-1)?.id : undefined),
    refetchOnMount: 'always',
    refetchInterval: POLL_MS,
  });
}

/** Where new reports are mailed to; `null` if they are not. */
export function mailQuery(service: string) {
  return queryOptions({
    queryKey: ['feed', service, 'webhooks', 'mail'],
    queryFn: async () => (await client.showMail(service)).mail,
    refetchOnMount: 'always',
    refetchInterval: 5 * POLL_MS,
  });
}

/** The log of mail, newest first, in the form of the log of a webhook. */
export function mailDeliveriesQuery(service: string, state: string) {
  return infiniteQueryOptions({
    queryKey: ['feed', service, 'webhooks', 'mail', 'deliveries', state],
    queryFn: async ({ pageParam }) => {
      const { deliveries, ...page } = await client.listMailDeliveries(service, {
        limit: PAGE_SIZE,
        ...(state !== '' && { state }),
        ...(pageParam !== '' && { before: pageParam }),
      });
      return {
        ...page,
        deliveries: deliveries.map((delivery) => ({
          ...delivery,
          event: delivery.reportId === null ? TEST : CREATED,
        })),
      };
    },
    initialPageParam: '',
    getNextPageParam: ({ deliveries, hasMore }) => (hasMore ? deliveries.at(-1)?.id : undefined),
    refetchOnMount: 'always',
    refetchInterval: POLL_MS,
  });
}
