import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { serviceQuery } from '../../api/services.ts';
import { isResearcher, useMe } from '../../api/session.ts';
import { NoSuchService } from '../../components/no-such-service.tsx';
import { Page } from '../../components/page.tsx';
import { NoPermission } from '../../components/states.tsx';
import type { Draft } from './draft.ts';
import styles from './new-report-page.module.css';
import { Preview } from './preview.tsx';
import { ReportForm } from './report-form.tsx';
import { useDraft } from './use-draft.ts';
import { usePreview } from './use-preview.ts';

const route = getRouteApi('/signed-in/feeds/$service/new');

/** Reports a C2 address to a service. */
export function NewReportPage() {
  const { service } = route.useParams();
  const { c2 = '', hash = '' } = route.useSearch();
  const { data: services, isSuccess } = useQuery(serviceQuery(service));
  if (!isResearcher(useMe()))
    return (
      <Page title="New report">
        <NoPermission need="the role researcher" helper="An administrator can give it to you." />
      </Page>
    );
  if (isSuccess && services === undefined)
    return (
      <Page title="New report">
        <NoSuchService service={service}>
          Choose the feed of the service that can take the address down.
        </NoSuchService>
      </Page>
    );
  // Another service or a prefilled link starts a new form.
  return <NewReport key={`${service} ${c2} ${hash}`} service={service} c2={c2} hash={hash} />;
}

interface Props extends Pick<Draft, 'c2' | 'hash'> {
  readonly service: string;
}

function NewReport({ service, c2, hash }: Props) {
  const { draft, change, forget } = useDraft(service, c2, hash);
  const previewed = usePreview(service, draft);
  return (
    <Page title={`New report to ${service}`}>
      <div className={styles['columns']}>
        <ReportForm
          service={service}
          draft={draft}
          previewed={previewed}
          onChange={change}
          onSent={forget}
        />
        <Preview service={service} previewed={previewed} />
      </div>
    </Page>
  );
}
