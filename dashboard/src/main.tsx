/** Starts the dashboard in the page that the service serves. */

import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { ApiError } from '@tapedeck/client';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from './queries/cache.ts';
import { readReturnAddress } from './returnAddress.ts';
import { createDashboardRouter } from './router.tsx';
import { Toasts } from './ui/Toasts.tsx';
import './styles.css';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has an element with the id "root".');

const queries = createQueries({ onSignedOut: () => void router.invalidate(), onSignedIn: returnToPage });
const router = createDashboardRouter(queries);

/** A tab at the sign-in page opens the page that it came from. */
function returnToPage(): void {
  const { pathname, searchStr } = router.latestLocation;
  const back = new URLSearchParams(searchStr).get('back') ?? '/';
  if (pathname === '/sign-in') router.history.replace(readReturnAddress(back, window.location.origin));
  else void router.invalidate();
}

createRoot(root, { onCaughtError: reportBug }).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
);

/** Pages show the service's errors; any other error is a bug and goes to the console. */
function reportBug(error: unknown): void {
  if (!(error instanceof ApiError)) reportError(error);
}
