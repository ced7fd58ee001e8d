import { Time } from '../../components/marks/time.tsx';

/** What a sign-in link is good for. */
export function InvitationText({ expiresAt }: { readonly expiresAt: string }) {
  return (
    <p>
      Send this link to the person. It signs one browser in, once, and expires{' '}
      <Time at={expiresAt} isFull />.
    </p>
  );
}
