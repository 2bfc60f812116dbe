/** The root route, and the routes before sign-in. */
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet } from '@tanstack/react-router';
import { lazyPage } from './lazyPage.ts';
import { NotFound } from './pages/NotFound.tsx';
import { meQuery, stateQuery } from './queries/session.ts';
import { FramePending } from './ui/PagePending.tsx';

export const rootRoute = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Outlet,
  notFoundComponent: () => (
    <main>
      <NotFound />
    </main>
  ),
});

const setUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/set-up',
  component: lazyPage(() => import('./pages/auth/SetUpPage.tsx'), 'SetUpPage'),
  pendingComponent: FramePending,
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: readSignInSearch,
  loader: ({ context }) => context.queries.ensureQueryData(stateQuery),
  component: lazyPage(() => import('./pages/auth/SignInPage.tsx'), 'SignInPage'),
  pendingComponent: FramePending,
});

/** `trouble` is the code of why the page is shown (`signInTrouble.ts`). */
function readSignInSearch({ back, trouble }: { back?: unknown; trouble?: unknown }) {
  const known: { back?: string; trouble?: string } = {};
  if (typeof back === 'string') known.back = back;
  if (typeof trouble === 'string') known.trouble = trouble;
  return known;
}

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  loader: async ({ context }) => {
    const { isSignedIn } = await context.queries.fetchQuery({ ...stateQuery, staleTime: 0 });
    if (isSignedIn) await context.queries.ensureQueryData(meQuery);
  },
  component: lazyPage(() => import('./pages/auth/InvitationPage.tsx'), 'InvitationPage'),
  pendingComponent: FramePending,
});

export const authRoutes = [setUpRoute, signInRoute, invitationRoute] as const;
