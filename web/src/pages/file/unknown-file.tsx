import { isResearcher, useMe } from '../../api/session.ts';
import { Hash } from '../../components/identifiers/hash.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Empty } from '../../components/states.tsx';

/** A miss offers the upload. */
export function UnknownFile({ hash }: { readonly hash: string }) {
  const mayUpload = isResearcher(useMe());
  return (
    <Empty
      title="No analysis of this file"
      action={
        mayUpload ? (
          <LinkButton look="primary" to="/upload">
            Upload the file
          </LinkButton>
        ) : undefined
      }
    >
      <p>
        <Hash value={hash} kind="hash" />
      </p>
      <p>
        {mayUpload
          ? 'If you have the file, upload it: its analysis takes about a second.'
          : 'A researcher who has the file can upload it.'}
      </p>
    </Empty>
  );
}
