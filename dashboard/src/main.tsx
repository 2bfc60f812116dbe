/** Starts the dashboard in the page that the service serves. */

import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { ApiError } from '@tapedeck/client';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from './queries/cache.ts';
import { createDashboardRouter } from './router.tsx';
import { Toasts } from './ui/Toasts.tsx';
import './styles.css';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has an element with the id "root".');

const queries = createQueries({ onSignedOut: () => void router.invalidate() });
const router = createDashboardRouter(queries);

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
