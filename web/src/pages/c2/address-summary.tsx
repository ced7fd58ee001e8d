import { Link } from '@tanstack/react-router';
import type { ShownC2, ShownHost } from '../../../../src/client/wire.ts';
import { isResearcher, useMe } from '../../api/session.ts';
import { WhoAnswers } from '../../components/contacts/who-answers.tsx';
import { FactList } from '../../components/fact-list.tsx';
import { Hash } from '../../components/identifiers/hash.tsx';
import { Reporter } from '../../components/identifiers/reporter.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Heat } from '../../components/marks/heat.tsx';
import { KnownAs } from '../../components/marks/known-as.tsx';
import { Status } from '../../components/marks/status.tsx';
import { Time } from '../../components/marks/time.tsx';
import { Section } from '../../components/page.tsx';
import { BarList } from '../../components/plots/bar-list.tsx';
import { DayBars } from '../../components/plots/day-bars.tsx';
import { VerdictBox } from '../../components/verdict.tsx';
import { count, formatNumber } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import type { FeedFilter } from '../feed/filters.ts';
import { ReportTable } from '../feed/report-table.tsx';
import styles from './address-summary.module.css';
import { addressVerdict, joinFacts } from './address-verdict.ts';
import { Related } from './related.tsx';

type Known = Omit<ShownHost, 'successful'> & Pick<Partial<ShownC2>, 'c2'>;

interface Props {
  readonly known: Known;
  /** Lists all reports of the address in a feed. */
  readonly filter: FeedFilter;
}

export function AddressSummary({ known, filter }: Props) {
  const { reports, samples, families } = known;
  if (reports.total === 0 && samples.newest.length === 0)
    return (
      <>
        <First known={known} />
        <Lists known={known} />
        <Answering known={known} />
        <WhoAnswers address={known.c2 ?? known.host} />
        <Network known={known} />
        <Related address={known.c2 ?? known.host} />
      </>
    );
  return (
    <>
      <First known={known} />
      <Lists known={known} />
      <Answering known={known} />
      <WhoAnswers address={known.c2 ?? known.host} />
      <Network known={known} />
      <div className={styles['columns']}>
        <Section title="Reports">
          <ReportFigures known={known} filter={filter} />
        </Section>
        {families.length > 0 && (
          <Section title="Names">
            <BarList
              label="Names by reports and files: the family, else the first tag"
              bars={families.slice(0, 8).map(({ name, reports: some, samples: files }) => ({
                id: name,
                label: visible(name),
                value: some + files,
                text: familyText(some, files),
              }))}
            />
          </Section>
        )}
      </div>
      {reports.total > 0 && (
        <Section title="Reports per day">
          <DayBars
            label="Reports per day over the last 90 days"
            unit="report"
            days={reports.days.map(({ day, reports: value }) => ({ day, value }))}
          />
        </Section>
      )}
      <Related address={known.c2 ?? known.host} />
      {samples.newest.length > 0 && <Files samples={samples} />}
      {reports.newest.length > 0 && (
        <Section title="Newest reports">
          <ReportTable label="Newest reports" reports={reports.newest} />
        </Section>
      )}
    </>
  );
}

/** What lists say of the host. */
function Lists({ known: { knownAs } }: Pick<Props, 'known'>) {
  if (knownAs.length === 0) return null;
  return (
    <p>
      Known as <KnownAs known={knownAs} />
    </p>
  );
}

/** Whether it is bad, in one line. */
function First({ known }: Pick<Props, 'known'>) {
  const { level, title, facts } = addressVerdict(known);
  const { lastReportedAt } = known.reports;
  return (
    <VerdictBox level={level} title={title}>
      {joinFacts(facts)}
      {lastReportedAt !== null && (
        <>
          ; last seen <Time at={lastReportedAt} />
        </>
      )}
      .
    </VerdictBox>
  );
}

function familyText(reports: number, files: number): string {
  return [reports > 0 && count(reports, 'report'), files > 0 && count(files, 'file')]
    .filter((part) => part !== false)
    .join(', ');
}

/** The service that can take it down, or the feed of addresses without one. */
function Answering({ known }: Pick<Props, 'known'>) {
  const mayReport = isResearcher(useMe());
  const { feed, c2 } = known;
  return (
    <div className={styles['answering']}>
      <Answer known={known} />
      {mayReport && feed === null && (
        <LinkButton size="small" to="/feeds">
          Choose a feed
        </LinkButton>
      )}
      {mayReport && feed !== null && (
        <LinkButton
          size="small"
          to="/feeds/$service/new"
          params={{ service: feed }}
          search={{ c2 }}
        >
          Report it
        </LinkButton>
      )}
    </div>
  );
}

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' });

/** What the offline tables of the server know of an address. */
function Network({ known: { asn, country } }: Pick<Props, 'known'>) {
  if (asn === undefined && country === undefined) return null;
  return (
    <FactList
      facts={[
        ...(asn === undefined
          ? []
          : [{ name: 'Network', value: `AS${asn.number} ${visible(asn.name ?? '')}`.trim() }]),
        ...(country === undefined
          ? []
          : [{ name: 'Country', value: `${countryNames.of(country) ?? ''} (${country})` }]),
      ]}
    />
  );
}

function Answer({ known: { service, feed, pattern, verified } }: Pick<Props, 'known'>) {
  if (service === null)
    return (
      <span>
        <b>No service has declared this address.</b>
        {feed !== null && (
          <>
            {' '}
            Reports of it belong to the feed <FeedLink service={feed} />.
          </>
        )}
      </span>
    );
  return (
    <span>
      The feed <FeedLink service={service} /> answers for it{' '}
      <span className={styles['quiet']}>({verified ? 'verified' : 'declared'} as </span>
      <code>{pattern}</code>
      <span className={styles['quiet']}>)</span>.
    </span>
  );
}

function FeedLink({ service }: { readonly service: string }) {
  return (
    <Link to="/feeds/$service" params={{ service }}>
      {service}
    </Link>
  );
}

function ReportFigures({ known: { reports }, filter }: Props) {
  const { total, totalIsLowerBound, statuses, firstReportedAt, lastReportedAt, feeds } = reports;
  if (total === 0)
    return <p className={styles['quiet']}>Never reported; only the settings of files name it.</p>;
  return (
    <FactList
      facts={[
        {
          name: 'Reported',
          value: `${count(total, 'time')}${totalIsLowerBound === true ? ' or more' : ''}`,
        },
        {
          name: 'First',
          value: firstReportedAt === null ? 'never' : <Time at={firstReportedAt} isFull />,
        },
        {
          name: 'Last',
          value: lastReportedAt === null ? 'never' : <Time at={lastReportedAt} isFull />,
        },
        {
          name: 'Status',
          value: (
            <span className={styles['statuses']}>
              {(Object.keys(statuses) as (keyof typeof statuses)[])
                .filter((status) => statuses[status] > 0)
                .map((status) => (
                  <span key={status}>
                    {statuses[status]} <Status status={status} />
                  </span>
                ))}
            </span>
          ),
        },
        {
          name: 'Feeds',
          value: (
            <span className={styles['statuses']}>
              {feeds.map(({ service, total: some }) => (
                <Link key={service} to="/feeds/$service" params={{ service }} search={filter}>
                  {service} ({some})
                </Link>
              ))}
            </span>
          ),
        },
        { name: 'Reported by', value: <Reporters reporters={reports.reporters} /> },
        ...rejectedFact(feeds),
      ]}
    />
  );
}

function Reporters({ reporters: { total, most } }: Pick<Known['reports'], 'reporters'>) {
  const more = total - most.length;
  return (
    <span className={styles['statuses']}>
      {most.map(({ name, reports }) => (
        <span key={name}>
          <Reporter name={name} /> ({formatNumber(reports)})
        </span>
      ))}
      {more > 0 && <span className={styles['quiet']}>and {formatNumber(more)} more</span>}
    </span>
  );
}

/** The feeds whose readers do not block it. */
function rejectedFact(feeds: Known['reports']['feeds']) {
  const slugs = feeds.filter(({ c2Rejected }) => c2Rejected === true).map(({ service }) => service);
  if (slugs.length === 0) return [];
  return [{ name: 'False positive', value: `by the desk of ${slugs.join(', ')}` }];
}

function Files({ samples: { newest, hasMore } }: Pick<Known, 'samples'>) {
  return (
    <Section
      title={`Files whose settings name it (${newest.length}${hasMore ? ' or more' : ''})`}
      aside={<span className={styles['quiet']}>Opening one costs one unit.</span>}
    >
      <ul className={styles['files']}>
        {newest.map(({ sha256Hash, fileName, tags }) => (
          <li key={sha256Hash}>
            <Hash value={sha256Hash} kind="SHA-256" isShort isLinked />
            <span className={styles['name']}>{visible(fileName)}</span>
            <span className={styles['tags']}>
              {tags.slice(0, 4).map((tag) => (
                <Heat key={tag.name} {...tag} />
              ))}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
