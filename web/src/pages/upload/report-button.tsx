import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { servicesQuery } from '../../api/services.ts';
import { LinkButton } from '../../components/link-button.tsx';
import { MenuButton } from '../../components/menu/menu-button.tsx';
import { visible } from '../../text/visible.ts';

/** With more feeds, the list of feeds is faster to search. */
const SHOWN = 12;

/**
 * Opens the report form with the hash filled in. The addresses in the file are on its page, which
 * costs a unit and offers the feed of each.
 */
export function ReportButton({ sha256 }: { readonly sha256: string }) {
  const { data: services = [] } = useQuery(servicesQuery);
  const navigate = useNavigate();
  const [first] = services;
  if (first === undefined) return null;
  const search = { hash: sha256 };
  if (services.length === 1)
    return (
      <LinkButton
        size="small"
        to="/feeds/$service/new"
        params={{ service: first.slug }}
        search={search}
      >
        Report
      </LinkButton>
    );
  const entries = services.slice(0, SHOWN).map(({ slug, name }) => ({
    id: slug,
    label: visible(name),
    onAction: () => void navigate({ to: '/feeds/$service/new', params: { service: slug }, search }),
  }));
  const more = { id: '*', label: 'Another feed', onAction: () => void navigate({ to: '/feeds' }) };
  return (
    <MenuButton
      size="small"
      label="Report …"
      groups={[
        {
          title: 'Report to which feed?',
          entries: services.length > SHOWN ? [...entries, more] : entries,
        },
      ]}
    />
  );
}
