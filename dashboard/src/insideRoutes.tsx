/** What every page behind the door stands in: the frame, and the project that is open. */
import { createRoute, Outlet } from '@tanstack/react-router';
import { requireSignedIn } from './doorkeeper.ts';
import { rootRoute } from './doorRoutes.tsx';
import { lazyPage } from './lazyPage.ts';
import { Trouble } from './pages/Trouble.tsx';
import { projectQuery, projectsQuery } from './queries/projects.ts';

/** Everything behind the door. */
export const insideRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'inside',
  beforeLoad: ({ context, location }) => requireSignedIn(context.queries, location.href),
  loader: ({ context }) => context.queries.ensureQueryData(projectsQuery),
  component: lazyPage(() => import('./shell/Shell.tsx'), 'Shell'),
  errorComponent: props => (
    <main>
      <Trouble {...props} />
    </main>
  ),
});

export const projectRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/projects/$project',
  loader: ({ context, params }) => context.queries.ensureQueryData(projectQuery(params.project)),
  component: Outlet,
});
