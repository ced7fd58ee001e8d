import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Page } from '../components/page.tsx';
import { Failure, isLoadError } from '../components/states.tsx';

export function FailedPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    // The router keeps a script that did not arrive as failed.
    if (isLoadError(error)) return location.reload();
    reset();
    void router.invalidate();
  };
  return (
    <Page title="Something went wrong">
      <Failure error={error} onRetry={retry} />
    </Page>
  );
}
