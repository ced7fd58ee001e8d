import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { queryClient } from '../api/query-client.ts';
import { sessionQuery } from '../api/session.ts';
import { adminSearch } from '../pages/admin/admin-search.ts';
import { type FeedFilter, filterFromSearch } from '../pages/feed/filters.ts';
import { parseSearch, stringifySearch, text } from '../text/search-values.ts';
import { FailedPage } from './failed-page.tsx';
import { Frame } from './frame.tsx';
import { lazyPage } from './lazy-page.ts';
import { NoSuchPage } from './no-such-page.tsx';

const root = createRootRoute({
  component: Frame,
  notFoundComponent: NoSuchPage,
  errorComponent: FailedPage,
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyPage(() => import('../pages/sign-in/welcome-page.tsx'), 'WelcomePage'),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { next?: string | undefined } => ({ next: text(search['next']) }),
  component: lazyPage(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});

/** The parent of all pages that need an account. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const me = await queryClient.ensureQueryData(sessionQuery);
    if (me === null) throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
});

/** For visitors too: it says what this is. */
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    await queryClient.ensureQueryData(sessionQuery);
  },
  component: lazyPage(() => import('../pages/home/home-page.tsx'), 'HomePage'),
});

const find = createRoute({
  getParentRoute: () => signedIn,
  path: '/find',
  validateSearch: (search): { q?: string | undefined } => ({ q: text(search['q']) }),
  component: lazyPage(() => import('../pages/find/find-page.tsx'), 'FindPage'),
});

const file = createRoute({
  getParentRoute: () => signedIn,
  path: '/files/$hash',
  validateSearch: (search): { tab?: string | undefined } => ({ tab: text(search['tab']) }),
  component: lazyPage(() => import('../pages/file/file-page.tsx'), 'FilePage'),
});

const c2 = createRoute({
  getParentRoute: () => signedIn,
  path: '/c2/$c2',
  component: lazyPage(() => import('../pages/c2/c2-page.tsx'), 'C2Page'),
});

const host = createRoute({
  getParentRoute: () => signedIn,
  path: '/hosts/$host',
  component: lazyPage(() => import('../pages/c2/host-page.tsx'), 'HostPage'),
});

const feeds = createRoute({
  getParentRoute: () => signedIn,
  path: '/feeds',
  component: lazyPage(() => import('../pages/feeds/feeds-page.tsx'), 'FeedsPage'),
});

const feed = createRoute({
  getParentRoute: () => signedIn,
  path: '/feeds/$service',
  validateSearch: filterFromSearch,
  component: lazyPage(() => import('../pages/feed/feed-page.tsx'), 'FeedPage'),
});

const newReport = createRoute({
  getParentRoute: () => signedIn,
  path: '/feeds/$service/new',
  validateSearch: (search): { c2?: string | undefined; hash?: string | undefined } => ({
    c2: text(search['c2']),
    hash: text(search['hash']),
  }),
  component: lazyPage(() => import('../pages/new-report/new-report-page.tsx'), 'NewReportPage'),
});

const report = createRoute({
  getParentRoute: () => signedIn,
  path: '/feeds/$service/reports/$id',
  component: lazyPage(() => import('../pages/report/report-page.tsx'), 'ReportPage'),
});

const scorecard = createRoute({
  getParentRoute: () => signedIn,
  path: '/feeds/$service/scorecard',
  component: lazyPage(() => import('../pages/trust/scorecard-page.tsx'), 'ScorecardPage'),
});

const reporter = createRoute({
  getParentRoute: () => signedIn,
  path: '/reporters/$name',
  component: lazyPage(() => import('../pages/trust/reporter-page.tsx'), 'ReporterPage'),
});

const upload = createRoute({
  getParentRoute: () => signedIn,
  path: '/upload',
  component: lazyPage(() => import('../pages/upload/upload-page.tsx'), 'UploadPage'),
});

const desks = createRoute({
  getParentRoute: () => signedIn,
  path: '/desk',
  component: lazyPage(() => import('../pages/desk/desks-page.tsx'), 'DesksPage'),
});

type DeskSearch = FeedFilter & Partial<Record<'view' | 'age' | 'report', string | undefined>>;

const desk = createRoute({
  getParentRoute: () => signedIn,
  path: '/desk/$service',
  validateSearch: (search): DeskSearch => ({
    ...filterFromSearch(search),
    view: text(search['view']),
    age: text(search['age']),
    report: text(search['report']),
  }),
  component: lazyPage(() => import('../pages/desk/desk-page.tsx'), 'DeskPage'),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyPage(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
});

const admin = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin',
  validateSearch: adminSearch,
  component: lazyPage(() => import('../pages/admin/admin-page.tsx'), 'AdminPage'),
});

/** The gallery shows every component in all its states; it is not part of the built files. */
const development = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => root,
        path: '/gallery',
        component: lazyPage(() => import('../pages/gallery/gallery-page.tsx'), 'GalleryPage'),
      }),
    ]
  : [];

const pages = [
  find,
  file,
  c2,
  host,
  feeds,
  feed,
  newReport,
  report,
  scorecard,
  reporter,
  upload,
  desks,
  desk,
  account,
  admin,
] as const;

export const router = createRouter({
  routeTree: root.addChildren([home, welcome, signIn, signedIn.addChildren(pages), ...development]),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  // Below the bar, so that one can go elsewhere.
  defaultErrorComponent: FailedPage,
  defaultPendingMs: 200,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
