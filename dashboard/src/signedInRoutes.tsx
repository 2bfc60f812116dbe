/** Routes for signed-in users, with the frame of every page and the open project. */
import { createRoute, Outlet } from '@tanstack/react-router';
import { rootRoute } from './authRoutes.tsx';
import { lazyPage } from './lazyPage.ts';
import { ErrorPage } from './pages/ErrorPage.tsx';
import { NotFound } from './pages/NotFound.tsx';
import { projectQuery, projectsQuery } from './queries/projects.ts';
import { requireSession } from './sessionGuard.ts';
import { FramePending } from './ui/PagePending.tsx';

/** The parent of all pages that need a session. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'inside',
  beforeLoad: ({ context, location }) => requireSession(context.queries, location.href),
  loader: ({ context }) => context.queries.ensureQueryData(projectsQuery),
  component: lazyPage(() => import('./shell/Shell.tsx'), 'Shell'),
  pendingComponent: FramePending,
  notFoundComponent: NotFound,
  errorComponent: props => (
    <main>
      <ErrorPage {...props} />
    </main>
  ),
});

export const projectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/projects/$project',
  loader: ({ context, params }) => context.queries.ensureQueryData(projectQuery(params.project)),
  component: Outlet,
});
