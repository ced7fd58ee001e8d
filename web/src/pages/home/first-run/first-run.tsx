import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleDashed } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { servicesQuery } from '../../../api/services.ts';
import { isAdmin, isResearcher, type Me, useMe } from '../../../api/session.ts';
import { Button } from '../../../components/button.tsx';
import { DropZone } from '../../../components/drop-zone.tsx';
import { CopyButton } from '../../../components/identifiers/copy-button.tsx';
import { Section } from '../../../components/page.tsx';
import { Empty, Failure, Skeleton } from '../../../components/states.tsx';
import { addedServices } from '../../../text/unclaimed.ts';
import { useUpload } from '../use-upload.ts';
import styles from './first-run.module.css';
import { researcherQuery } from './researcher-query.ts';

const AddService = lazy(() => import('./add-service-dialog.tsx'));
const Invite = lazy(() => import('./invite-dialog.tsx'));
const FirstReport = lazy(() => import('./first-report-dialog.tsx'));

type Step = 'service' | 'researcher' | 'report';

/** What an empty installation shows instead of reports: three steps, each done right here. */
export function FirstRun() {
  const me = useMe();
  if (!isAdmin(me)) return isResearcher(me) ? <FirstFile /> : <Waiting />;
  return (
    <>
      <Steps me={me} />
      <LookAround />
    </>
  );
}

/** Another port, so that the links of the demo do not lead here. */
const DEMO = [
  'export RAPSHEET_DATA_DIR=./demo-data RAPSHEET_PORT=8081',
  'npm run demo',
  'npm start',
].join('\n');

/** For those who want to see the product full before they fill it. */
function LookAround() {
  return (
    <Section title="Or look around first">
      <p className={styles['around']}>
        The demo is a world of its own: six weeks of invented reports, desks and analysed files, in
        another data folder. It prints a sign-in link for each role.
      </p>
      <div className={styles['command']}>
        <pre>{DEMO}</pre>
        <CopyButton text={DEMO} what="the commands" />
      </div>
      <p className={styles['around']}>
        What this page does, programs can do too: <a href="/docs">the API reference</a>.
      </p>
    </Section>
  );
}

function Waiting() {
  return (
    <Empty title="No reports yet">
      <p>
        The newest reports of all feeds will stand here. To report yourself, ask an administrator
        for the role researcher.
      </p>
    </Empty>
  );
}

/** What a researcher can do before there are reports: upload a file. */
function FirstFile() {
  const upload = useUpload();
  return (
    <Section title="No reports yet">
      <DropZone onFiles={upload}>
        <p className={styles['drop']}>Drop files or folders here</p>
        <p className={styles['around']}>
          They are analysed without being run, and you see their settings and C2 addresses. A report
          of each address is proposed.
        </p>
      </DropZone>
    </Section>
  );
}

function Steps({ me }: { readonly me: Me }) {
  const services = useQuery(servicesQuery);
  const researcher = useQuery(researcherQuery(me));
  const [open, setOpen] = useState<Step>();
  const error = services.error ?? researcher.error;
  if (error !== null)
    return (
      <Failure
        error={error}
        onRetry={() => {
          void services.refetch();
          void researcher.refetch();
        }}
      />
    );
  if (services.data === undefined || researcher.data === undefined)
    return <Skeleton lines={9} label="Loading the first steps" />;
  const [service] = addedServices(services.data);
  const done: Readonly<Record<Step, boolean>> = {
    service: service !== undefined,
    researcher: researcher.data,
    report: false,
  };
  const next = (['service', 'researcher', 'report'] as const).find((step) => !done[step]);
  const button = (step: Step, label: string) => (
    <Button look={step === next ? 'primary' : 'plain'} onClick={() => setOpen(step)}>
      {label}
    </Button>
  );
  const close = () => setOpen(undefined);
  return (
    <Section title="Three steps to the first report">
      <ol className={styles['steps']}>
        <StepItem
          number={1}
          title="Make a service"
          isDone={done.service}
          action={button('service', done.service ? 'Make another service' : 'Make a service')}
        >
          A tunnel or hosting provider whose addresses malware abuses. It gets a feed, and a desk
          that answers.
        </StepItem>
        <StepItem
          number={2}
          title="Invite a researcher"
          isDone={done.researcher}
          action={button('researcher', done.researcher ? 'Invite another' : 'Invite a researcher')}
        >
          Makes an account and a link that signs its owner in, once, within 7 days.
        </StepItem>
        <StepItem
          number={3}
          title="Send a first report"
          isDone={done.report}
          action={button('report', 'Send a report')}
        >
          A C2 address and the file that talks to it. It appears here and at the desk at once.
        </StepItem>
      </ol>
      <Suspense fallback={null}>
        {open === 'service' && <AddService me={me} onClose={close} />}
        {open === 'researcher' && <Invite me={me} onClose={close} />}
        {open === 'report' && <FirstReport me={me} services={services.data} onClose={close} />}
      </Suspense>
    </Section>
  );
}

interface StepItemProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly action: ReactNode;
  readonly children: ReactNode;
}

function StepItem({ number, title, isDone, action, children }: StepItemProps) {
  return (
    <li className={styles['step']}>
      <h3 className={isDone ? styles['done'] : styles['title']}>
        {isDone ? <CircleCheck aria-hidden /> : <CircleDashed aria-hidden />}
        {number}. {title}
        <span className="visually-hidden">{isDone ? ' (done)' : ' (to do)'}</span>
      </h3>
      <p>{children}</p>
      <div>{action}</div>
    </li>
  );
}
