import { LinkButton } from '../../components/link-button.tsx';
import { nameOf } from '../../components/search/search-target.ts';
import { defang } from '../../text/defang.ts';
import styles from './find-page.module.css';

/** The page of what the text names by its form: a file, a C2 or a host. */
export function NamedPage({ text }: { readonly text: string }) {
  const named = nameOf(text);
  if (named === undefined) return null;
  return (
    <div className={styles['named']}>
      {named.kind === 'file' && (
        <LinkButton to="/files/$hash" params={{ hash: named.hash }}>
          Open the file (one unit)
        </LinkButton>
      )}
      {named.kind === 'c2' && (
        <LinkButton to="/c2/$c2" params={{ c2: named.c2 }}>
          All about the C2 {defang(named.c2)}
        </LinkButton>
      )}
      {named.kind !== 'file' && (
        <LinkButton to="/hosts/$host" params={{ host: hostOf(named) }}>
          All about the host {defang(hostOf(named))}
        </LinkButton>
      )}
    </div>
  );
}

function hostOf(
  named:
    | { readonly kind: 'c2'; readonly c2: string }
    | { readonly kind: 'host'; readonly host: string },
): string {
  return named.kind === 'host' ? named.host : named.c2.slice(0, named.c2.lastIndexOf(':'));
}
