import { useMutation, useQueryClient } from '@tanstack/react-query';
import { showError, showToast } from '../../../components/overlays/toasts.tsx';

/** Runs a change of a webhook, shows the result, and refetches the list. */
export function useChange(service: string) {
  const cache = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ change }: { change: () => Promise<unknown>; done?: string | undefined }) =>
      change(),
    onSuccess: (_, { done }) => {
      if (done !== undefined) showToast({ text: done });
    },
    onError: showError,
    onSettled: () => cache.invalidateQueries({ queryKey: ['feed', service, 'webhooks'] }),
  });
  return (change: () => Promise<unknown>, done?: string) => mutate({ change, done });
}
