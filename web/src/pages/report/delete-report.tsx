import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { showError, showToast } from '../../components/overlays/toasts.tsx';

const Question = lazy(() => import('../../components/overlays/question.tsx'));

export function DeleteReport({ report: { service, id } }: { readonly report: ExtendedReport }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const cache = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.deleteReport(service, id),
    onSuccess: async () => {
      showToast({ text: 'The report is deleted.' });
      await navigate({ to: '/feeds/$service', params: { service } });
      cache.removeQueries({ queryKey: ['feed', service, 'report', id] });
    },
    onError: showError,
    onSettled: () => setAsking(false),
  });
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        Delete
      </Button>
      {isAsking && (
        <Suspense fallback={null}>
          <Question
            title="Delete this report?"
            text="It disappears from the feed and from all who read it. This cannot be undone."
            action={isPending ? 'Deleting …' : 'Delete'}
            onConfirm={() => {
              if (!isPending) mutate();
            }}
            onClose={() => setAsking(false)}
          />
        </Suspense>
      )}
    </>
  );
}
