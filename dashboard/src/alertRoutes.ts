/** Routes of rules, channels and deliveries. */
import { createRoute, Outlet } from '@tanstack/react-router';
import { lazyPage } from './lazyPage.ts';
import { readNewRule } from './pages/alerts/edit/newRule.ts';
import { channelsQuery } from './queries/channels.ts';
import { ruleQuery, rulesQuery } from './queries/rules.ts';
import { projectRoute } from './signedInRoutes.tsx';

const alertsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/alerts',
  loader: ({ context, params }) =>
    Promise.all([
      context.queries.ensureQueryData(rulesQuery(params.project)),
      context.queries.ensureQueryData(channelsQuery(params.project)),
    ]),
  component: Outlet,
});

const rulesRoute = createRoute({
  getParentRoute: () => alertsRoute,
  path: '/',
  component: lazyPage(() => import('./pages/alerts/RulesPage.tsx'), 'RulesPage'),
});

const channelsRoute = createRoute({
  getParentRoute: () => alertsRoute,
  path: '/channels',
  component: lazyPage(() => import('./pages/alerts/channels/ChannelsPage.tsx'), 'ChannelsPage'),
});

const deliveriesRoute = createRoute({
  getParentRoute: () => alertsRoute,
  path: '/deliveries',
  validateSearch: ({ channel }: { channel?: unknown }): { channel?: string } =>
    typeof channel === 'string' ? { channel } : {},
  component: lazyPage(() => import('./pages/alerts/deliveries/DeliveriesPage.tsx'), 'DeliveriesPage'),
});

const newRuleRoute = createRoute({
  getParentRoute: () => alertsRoute,
  path: '/new',
  validateSearch: readNewRule,
  component: lazyPage(() => import('./pages/alerts/edit/NewRulePage.tsx'), 'NewRulePage'),
});

const ruleRoute = createRoute({
  getParentRoute: () => alertsRoute,
  path: '/$rule',
  loader: ({ context, params }) => context.queries.ensureQueryData(ruleQuery(params.project, params.rule)),
  component: lazyPage(() => import('./pages/alerts/rule/RulePage.tsx'), 'RulePage'),
});

const editRuleRoute = createRoute({
  getParentRoute: () => alertsRoute,
  path: '/$rule/edit',
  loader: ({ context, params }) => context.queries.ensureQueryData(ruleQuery(params.project, params.rule)),
  component: lazyPage(() => import('./pages/alerts/edit/EditRulePage.tsx'), 'EditRulePage'),
});

export const alertRoutes = alertsRoute.addChildren([
  rulesRoute,
  channelsRoute,
  deliveriesRoute,
  newRuleRoute,
  ruleRoute,
  editRuleRoute,
]);
