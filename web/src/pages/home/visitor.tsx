import { isSessionLost } from '../../api/session.ts';
import { useStore } from '../../api/use-store.ts';
import { LinkButton } from '../../components/link-button.tsx';
import { Page } from '../../components/page.tsx';
import styles from './home-page.module.css';

/** The page for those who are not signed in. */
export function Visitor() {
  const isLost = useStore(isSessionLost);
  return (
    <Page
      title="Rapsheet"
      width="prose"
      head={<h1 className={styles['headline']}>Abuse reports that reach the abused service</h1>}
    >
      {isLost && <p role="status">Your session has ended. Sign in again to go on.</p>}
      <p>
        Malware talks to its operators through tunnels and hosting of services that do not know.
        Rapsheet tells them: a researcher reports the address, the desk of the service takes it
        down, and everybody sees the outcome.
      </p>
      <div className={styles['buttons']}>
        <LinkButton look="primary" to="/sign-in">
          Sign in
        </LinkButton>
        <a href="/docs">API reference</a>
      </div>
      <dl className={styles['roles']}>
        <div>
          <dt>Researchers</dt>
          <dd>Drop a file: its settings name its C2 addresses, and each can be reported.</dd>
        </div>
        <div>
          <dt>Abuse desks</dt>
          <dd>Read what is new with its evidence, and say what was done about it.</dd>
        </div>
        <div>
          <dt>Analysts</dt>
          <dd>Look up a hash, an address or a host, and see what belongs to it.</dd>
        </div>
      </dl>
      <p className={styles['hint']}>
        Accounts are made by the operator of this server, who can send you a sign-in link.
      </p>
    </Page>
  );
}
