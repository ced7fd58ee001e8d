import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { becomeSignedOut, useOptionalMe } from '../api/session.ts';
import { Toasts } from '../components/overlays/toasts.tsx';
import { Bar } from './bar.tsx';
import styles from './frame.module.css';
import { LiveBanner } from './live-banner.tsx';
import { Shortcuts } from './shortcuts.tsx';

/** The bar, the same on every page, and the page. */
export function Frame() {
  const me = useOptionalMe();
  const main = useRef<HTMLElement>(null);
  useFocusOnNavigation(main);
  const router = useRouter();
  const signOut = () => {
    becomeSignedOut('server');
    void router.invalidate();
  };
  return (
    <>
      {/* No link: the part of the address after # may be in use, as in a sign-in link. */}
      <button type="button" className={styles['skip']} onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      {me === undefined ? <Brand /> : <Bar me={me} />}
      {me !== undefined && (
        <LiveBanner key={me.id} position={me.session?.feedPosition} onSignedOut={signOut} />
      )}
      <main id="main" ref={main} tabIndex={-1} className={styles['main']}>
        <Outlet />
      </main>
      {me !== undefined && <Shortcuts />}
      <Toasts />
    </>
  );
}

/** The bar of pages without a signed-in user. */
function Brand() {
  return (
    <header className={styles['bar']}>
      <Link to="/" className={styles['brand']}>
        Rapsheet
      </Link>
    </header>
  );
}

/** After navigation the focus starts at the new page, as it does when a browser loads a page. */
function useFocusOnNavigation(main: React.RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs for each path
  useEffect(() => {
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);
}
