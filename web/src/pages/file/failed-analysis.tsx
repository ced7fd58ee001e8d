import { isAdmin, useMe } from '../../api/session.ts';
import { Hash } from '../../components/identifiers/hash.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Empty } from '../../components/states.tsx';
import { visible } from '../../text/visible.ts';

interface Props {
  readonly hash: string;
  readonly reason: string | undefined;
}

/** Says why there is no report although the file was uploaded. */
export function FailedAnalysis({ hash, reason }: Props) {
  const seesQueue = isAdmin(useMe());
  return (
    <Empty
      title="The analysis failed"
      action={
        seesQueue ? (
          <LinkButton to="/admin" search={{ section: 'queue' }}>
            Open the queue
          </LinkButton>
        ) : undefined
      }
    >
      <p>{visible(reason ?? 'The file could not be analysed.')}</p>
      <p>The file is stored. An operator can analyse it again.</p>
      <p>
        <Hash value={hash} kind="hash" />
      </p>
    </Empty>
  );
}
