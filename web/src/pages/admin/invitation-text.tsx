import type { CreatedLink } from '../../../../src/client/wire.ts';
import { SecretOnce } from '../../components/identifiers/secret-once.tsx';
import { Time } from '../../components/marks/time.tsx';

/** A sign-in link, shown once. */
export function InvitationText({ link: { link, expiresAt } }: { readonly link: CreatedLink }) {
  return (
    <>
      <p>
        Send this link to the person. It signs one browser in, once, and expires{' '}
        <Time at={expiresAt} isFull />.
      </p>
      <SecretOnce secret={link} what="link" />
    </>
  );
}
