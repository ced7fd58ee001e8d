import { getRouteApi, Link } from '@tanstack/react-router';
import { isAdmin, useMe } from '../../api/session.ts';
import { Page } from '../../components/page.tsx';
import { NoPermission } from '../../components/states.tsx';
import { Accounts } from './accounts.tsx';
import styles from './admin-page.module.css';
import { SECTIONS, type SectionName, sectionOf } from './admin-search.ts';
import { AuditLog } from './audit-log.tsx';
import { Queue } from './queue.tsx';
import { Services } from './services/services.tsx';
import { Settings } from './settings.tsx';
import { Workers } from './workers.tsx';

const route = getRouteApi('/signed-in/admin');

const CONTENTS: Readonly<Record<SectionName, () => React.ReactNode>> = {
  services: Services,
  accounts: Accounts,
  queue: Queue,
  workers: Workers,
  audit: AuditLog,
  settings: Settings,
};

/** Services, accounts and the state of the running service, for administrators. */
export function AdminPage() {
  const me = useMe();
  const section = sectionOf(route.useSearch());
  if (!isAdmin(me))
    return (
      <Page title="Administration">
        <NoPermission
          need='an account with the role "admin"'
          helper="An administrator of this installation can give it to you, or do what you need."
        />
      </Page>
    );
  const Content = CONTENTS[section];
  return (
    <Page title={SECTIONS[section]} head={<h1>Administration</h1>}>
      <div className={styles['columns']}>
        <nav className={styles['nav']} aria-label="Sections of the administration">
          {Object.entries(SECTIONS).map(([name, label]) => (
            <Link
              key={name}
              to="/admin"
              search={{ section: name }}
              className={styles['navLink']}
              aria-current={name === section ? 'page' : undefined}
            >
              {label}
            </Link>
          ))}
        </nav>
        <div className={styles['content']}>
          <Content />
        </div>
      </div>
    </Page>
  );
}
