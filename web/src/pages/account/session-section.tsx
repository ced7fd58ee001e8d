import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { client } from '../../api/client.ts';
import type { Me } from '../../api/session.ts';
import { tellSessionEnd } from '../../api/session-end.ts';
import { Button } from '../../components/button.tsx';
import { Time } from '../../components/marks/time.tsx';
import { showError } from '../../components/overlays/toasts.tsx';
import { Section } from '../../components/page.tsx';

const Question = lazy(() => import('../../components/overlays/question.tsx'));

/** This session, and a way to end all of them. */
export function SessionSection({ me: { session } }: { readonly me: Me }) {
  const [isAsking, setAsking] = useState(false);
  const { mutate, isPending } = useMutation({
    mutationFn: (issued: boolean) => client.endSessions({ issued }),
    onSuccess: () => tellSessionEnd('reader'),
    onError: showError,
  });
  return (
    <Section title="Sessions">
      {session !== null && (
        <p>
          You signed in with a {session.via}. This session ends{' '}
          <Time at={session.expiresAt} isFull />.
        </p>
      )}
      <div>
        <Button disabled={isPending} onClick={() => setAsking(true)}>
          Sign out everywhere
        </Button>
      </div>
      {isAsking && (
        <Suspense fallback={null}>
          <Question
            title="Sign out everywhere?"
            text="All sessions of this account end, this one too. Tokens stay valid, unless you revoke them."
            action="Sign out"
            option="Revoke the tokens that were issued in a session, and those issued with them"
            onConfirm={(issued) => {
              setAsking(false);
              mutate(issued);
            }}
            onClose={() => setAsking(false)}
          />
        </Suspense>
      )}
    </Section>
  );
}
