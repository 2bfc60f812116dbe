/** The dashboard's routes, and the data each page needs before it opens. */
import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { alertRoutes } from './alertRoutes.ts';
import { authRoutes, rootRoute } from './authRoutes.tsx';
import { lazyPage } from './lazyPage.ts';
import { ErrorPage } from './pages/ErrorPage.tsx';
import { readFileSearch } from './pages/files/search.ts';
import { readIssueSearch } from './pages/issues/search.ts';
import { readLogSearch } from './pages/logs/search.ts';
import { NotFound } from './pages/NotFound.tsx';
import { readPlayerSearch } from './pages/players/search.ts';
import { auditQuery } from './queries/audit.ts';
import { authMethodsQuery } from './queries/authMethods.ts';
import { datasetsQuery } from './queries/datasets.ts';
import { invitationsQuery } from './queries/invitations.ts';
import { logViewsQuery } from './queries/logViews.ts';
import { membersQuery } from './queries/members.ts';
import { projectQuery, projectsQuery } from './queries/projects.ts';
import { sessionsQuery, stateQuery } from './queries/session.ts';
import { sessionsOfProjectQuery } from './queries/sessions.ts';
import { tokensQuery } from './queries/tokens.ts';
import { usersQuery } from './queries/users.ts';
import { recallProject } from './recentProject.ts';
import { isRoleAtLeast } from './roles.ts';
import { projectRoute, signedInRoute } from './signedInRoutes.tsx';
import { FirstMoment, PagePending } from './ui/PagePending.tsx';

const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  beforeLoad: async ({ context }) => {
    const projects = await context.queries.ensureQueryData(projectsQuery);
    const project = projects.find(each => each.project === recallProject()) ?? projects[0];
    if (project) throw redirect({ to: '/projects/$project', params: { project: project.project } });
  },
  component: lazyPage(() => import('./pages/projects/NoProjectPage.tsx'), 'NoProjectPage'),
});

const newProjectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/new-project',
  component: lazyPage(() => import('./pages/projects/NewProjectPage.tsx'), 'NewProjectPage'),
});

const projectHomeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  component: lazyPage(() => import('./pages/home/HomePage.tsx'), 'HomePage'),
});

const logsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/logs',
  validateSearch: readLogSearch,
  component: lazyPage(() => import('./pages/logs/LogsPage.tsx'), 'LogsPage'),
});

const logViewsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/log-views',
  loader: ({ context, params }) => context.queries.ensureQueryData(logViewsQuery(params.project)),
  component: lazyPage(() => import('./pages/logViews/LogViewsPage.tsx'), 'LogViewsPage'),
});

const filesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/files',
  validateSearch: readFileSearch,
  component: lazyPage(() => import('./pages/files/FilesPage.tsx'), 'FilesPage'),
});

const issuesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/issues',
  validateSearch: readIssueSearch,
  component: lazyPage(() => import('./pages/issues/IssuesPage.tsx'), 'IssuesPage'),
});

const playersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/players',
  validateSearch: readPlayerSearch,
  component: lazyPage(() => import('./pages/players/PlayersPage.tsx'), 'PlayersPage'),
});

const datasetsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/datasets',
  loader: ({ context, params }) => context.queries.ensureQueryData(datasetsQuery(params.project)),
  component: lazyPage(() => import('./pages/datasets/DatasetsPage.tsx'), 'DatasetsPage'),
});

const liveSessionsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/sessions',
  loader: ({ context, params }) => context.queries.ensureQueryData(sessionsOfProjectQuery(params.project)),
  component: lazyPage(() => import('./pages/sessions/LiveSessionsPage.tsx'), 'LiveSessionsPage'),
});

const connectRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/connect/{-$tool}',
  component: lazyPage(() => import('./pages/connect/ConnectPage.tsx'), 'ConnectPage'),
});

const tokensRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/tokens',
  loader: ({ context, params }) => context.queries.ensureQueryData(tokensQuery(params.project)),
  component: lazyPage(() => import('./pages/tokens/TokensPage.tsx'), 'TokensPage'),
});

const membersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/members',
  loader: ({ context, params }) => loadMembers(context.queries, params.project),
  component: lazyPage(() => import('./pages/members/MembersPage.tsx'), 'MembersPage'),
});

/** Members who may invite also see invitations. */
async function loadMembers(queries: QueryClient, slug: string): Promise<void> {
  const { role } = await queries.ensureQueryData(projectQuery(slug));
  await Promise.all([
    queries.ensureQueryData(membersQuery(slug)),
    isRoleAtLeast(role, 'admin') && queries.ensureQueryData(invitationsQuery(slug)),
  ]);
}

const settingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings',
  component: lazyPage(() => import('./pages/settings/SettingsPage.tsx'), 'SettingsPage'),
});

const projectAuditRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/audit',
  loader: ({ context, params }) =>
    Promise.all([
      context.queries.ensureInfiniteQueryData(auditQuery(params.project)),
      context.queries.ensureQueryData(membersQuery(params.project)),
    ]),
  component: lazyPage(() => import('./pages/audit/ProjectAuditPage.tsx'), 'ProjectAuditPage'),
});

const usersRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/users',
  validateSearch: readNewUser,
  loader: async ({ context }) => {
    // In sequence, so that a user without permission gets only one error.
    await context.queries.ensureQueryData(usersQuery);
    await context.queries.ensureQueryData(invitationsQuery(null));
  },
  component: lazyPage(() => import('./pages/users/UsersPage.tsx'), 'UsersPage'),
});

/** Opens the form for a new user with these values. */
function readNewUser({ email, project }: { email?: unknown; project?: unknown }) {
  const known: { email?: string | undefined; project?: string | undefined } = {};
  if (typeof email === 'string') known.email = email;
  if (typeof project === 'string') known.project = project;
  return known;
}

const auditRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/audit',
  loader: ({ context }) =>
    Promise.all([
      context.queries.ensureInfiniteQueryData(auditQuery(null)),
      context.queries.ensureQueryData(usersQuery),
    ]),
  component: lazyPage(() => import('./pages/audit/AuditPage.tsx'), 'AuditPage'),
});

const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account',
  loader: ({ context }) =>
    Promise.all([
      context.queries.ensureQueryData(sessionsQuery),
      context.queries.ensureQueryData(authMethodsQuery),
      context.queries.ensureQueryData(stateQuery),
    ]),
  component: lazyPage(() => import('./pages/account/AccountPage.tsx'), 'AccountPage'),
});

const routeTree = rootRoute.addChildren([
  ...authRoutes,
  signedInRoute.addChildren([
    homeRoute,
    newProjectRoute,
    projectRoute.addChildren([
      projectHomeRoute,
      logsRoute,
      logViewsRoute,
      issuesRoute,
      filesRoute,
      playersRoute,
      alertRoutes,
      datasetsRoute,
      liveSessionsRoute,
      connectRoute,
      tokensRoute,
      membersRoute,
      settingsRoute,
      projectAuditRoute,
    ]),
    usersRoute,
    auditRoute,
    accountRoute,
  ]),
]);

export function createDashboardRouter(queries: QueryClient) {
  return createRouter({
    routeTree,
    context: { queries },
    defaultPreload: 'intent',
    // The query cache decides what is fresh.
    defaultPreloadStaleTime: 0,
    // Shows no spinner for quick responses, and keeps a visible one long enough to be seen.
    defaultPendingMs: 250,
    defaultPendingMinMs: 300,
    defaultPendingComponent: PagePending,
    InnerWrap: FirstMoment,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
    // Hides unknown search parameters from pages.
    search: { strict: true },
    // Plain text, so that users can read addresses and store them as they are.
    parseSearch: search => Object.fromEntries(new URLSearchParams(search)),
    stringifySearch: search => {
      const texts = Object.entries(search).filter(pair => typeof pair[1] === 'string');
      const asked = new URLSearchParams(texts.map(([key, text]) => [key, String(text)]));
      return asked.size > 0 ? `?${asked}` : '';
    },
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createDashboardRouter>;
  }
}
