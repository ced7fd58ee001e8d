import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { RapsheetError } from '../../../src/client/error.ts';
import { Page } from '../components/page.tsx';
import { Failure } from '../components/states.tsx';
import { NOT_ARRIVED } from './lazy-page.ts';

export function FailedPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const lost = asLostServer(error);
  const retry = () => {
    // The router keeps a script that did not arrive as failed.
    if (lost !== undefined) return location.reload();
    reset();
    void router.invalidate();
  };
  return (
    <Page title="Something went wrong">
      <Failure error={lost ?? error} onRetry={retry} />
    </Page>
  );
}

const NOT_LOADED = /dynamically imported module|importing a module script|unable to preload/i;

/** For a script of the application that did not arrive; browsers say so in different words. */
function asLostServer(error: unknown): RapsheetError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.message !== NOT_ARRIVED && !NOT_LOADED.test(error.message)) return undefined;
  return new RapsheetError(error.message, { code: 'no_answer' });
}
