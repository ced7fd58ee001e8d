import './design/tokens.css';
import './design/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { becomeSignedOut, followOtherTab } from './api/session.ts';
import { whenSessionEnds } from './api/session-end.ts';
import { whenSignedInElsewhere } from './api/signed-in-flag.ts';
import { router } from './app/router.tsx';
import { installTrustedTypes } from './app/trusted-types.ts';
import { followTheme } from './design/theme.ts';

installTrustedTypes();
followTheme();

whenSessionEnds((by) => {
  becomeSignedOut(by);
  void router.invalidate();
});
whenSignedInElsewhere(() => {
  void followOtherTab().then(() => router.invalidate());
});

// The router would request the script of the page after it has read the session.
for (const { routeId } of router.matchRoutes(router.latestLocation))
  void router.loadRouteChunk(router.routesById[routeId as keyof typeof router.routesById]);

const element = document.getElementById('root');
if (element === null) throw new Error('the page has no root element');
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
