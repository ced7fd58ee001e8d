import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { routeQuery } from '../../api/files.ts';
import { FactList } from '../../components/fact-list.tsx';
import { Tag } from '../../components/heat.tsx';
import { Section } from '../../components/page.tsx';
import { defang } from '../../text/defang.ts';
import { visible } from '../../text/visible.ts';
import { type Draft, problemsOf, refang, splitTags } from './draft.ts';
import styles from './new-report-page.module.css';

interface Props {
  readonly service: string;
  readonly draft: Draft;
}

/** What will be stored, and whether the address belongs to this service. */
export function Preview({ service, draft }: Props) {
  const c2 = refang(draft.c2).toLowerCase();
  const isC2 = draft.c2 !== '' && problemsOf(draft, 100).c2 === undefined;
  const { data: found } = useQuery({ ...routeQuery(c2), enabled: isC2 });
  const tags = splitTags(draft.tags);
  return (
    <Section title="What will be stored">
      <FactList
        facts={[
          { name: 'C2', value: isC2 ? <code>{defang(c2)}</code> : '–' },
          { name: 'File', value: <code>{draft.hash.trim().toLowerCase() || '–'}</code> },
          {
            name: 'Tags',
            value: tags.length === 0 ? 'none' : tags.map((tag) => <Tag key={tag} name={tag} />),
          },
          { name: 'Link', value: visible(draft.link.trim()) || 'the page of the file' },
          { name: 'Confidence', value: draft.confidence.trim() || 'half of the scale' },
        ]}
      />
      {found !== undefined && found.service !== service && (
        <p className={styles['warning']} role="status">
          {found.service === null ? (
            `No service has declared that it answers for this address. Is ${service} the right one?`
          ) : (
            <>
              The feed{' '}
              <Link
                to="/feeds/$service/new"
                params={{ service: found.service }}
                search={{ c2: draft.c2, hash: draft.hash }}
              >
                {found.service}
              </Link>{' '}
              answers for this address, not {service}.
            </>
          )}
        </p>
      )}
    </Section>
  );
}
