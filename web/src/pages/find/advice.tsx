import { isResearcher, useMe } from '../../api/session.ts';
import { LinkButton } from '../../components/link-button.tsx';
import { Empty } from '../../components/states.tsx';
import styles from './find-page.module.css';

const EXAMPLES: readonly (readonly [what: string, example: string])[] = [
  [
    'a hash',
    'SHA-256, SHA-512, SHA-1, MD5 or BLAKE3; its first 8 digits or more; 0123abcd…4567cdef',
  ],
  ['an address', 'evil[.]example:4444, 198[.]51[.]100[.]7:7707'],
  ['a host', 'evil[.]example; *.evil[.]example for its subdomains'],
  ['a network', '198[.]51[.]100[.]0/24, 2001[:]db8[:][:]/32'],
  ['a tag or a family', 'rat, asyncrat'],
  ['an account', 'the name of who reported'],
  ['words', 'of file names and tags'],
];

/** What can be searched. */
export function Advice({ title }: { readonly title: string }) {
  return (
    <Empty title={title}>
      <p>The search takes, defanged or not:</p>
      <dl className={styles['examples']}>
        {EXAMPLES.map(([what, example]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{example}</dd>
          </div>
        ))}
      </dl>
      <p>Searching is free.</p>
    </Empty>
  );
}

const HASH = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i;

export function NothingFound({ text }: { readonly text: string }) {
  const mayUpload = isResearcher(useMe());
  if (!HASH.test(text)) return <Advice title="Nothing was found" />;
  return (
    <Empty
      title="No file with this hash is known"
      action={
        mayUpload && (
          <LinkButton look="primary" to="/upload">
            Upload the file
          </LinkButton>
        )
      }
    >
      <p>
        Nobody has reported or uploaded it.{' '}
        {mayUpload
          ? 'If you have the file, upload it: the analysis takes seconds, and costs no lookup.'
          : 'A researcher can upload it; an administrator gives that role.'}
      </p>
    </Empty>
  );
}
