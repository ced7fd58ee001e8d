import { Navigate } from '@tanstack/react-router';
import { useMe } from '../../api/session.ts';
import { LinkButton } from '../../components/link-button.tsx';
import { Page } from '../../components/page.tsx';
import { NoPermission } from '../../components/states.tsx';
import { visible } from '../../text/visible.ts';
import styles from './desk-page.module.css';

/** The desks of an account: one opens at once, several are listed. */
export function DesksPage() {
  const { services } = useMe();
  const [only, ...others] = services;
  if (only !== undefined && others.length === 0)
    return <Navigate to="/desk/$service" params={{ service: only.slug }} replace />;
  return (
    <Page title="Desk">
      {only === undefined ? (
        <NoPermission
          need="a service whose feed you own"
          helper="An administrator can make you its owner."
        />
      ) : (
        <ul className={styles['desks']}>
          {services.map(({ slug, name }) => (
            <li key={slug}>
              <LinkButton to="/desk/$service" params={{ service: slug }}>
                {visible(name)}
              </LinkButton>
            </li>
          ))}
        </ul>
      )}
    </Page>
  );
}
