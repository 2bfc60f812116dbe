/** Adds routes for the alternative paths that existing clients use. */

import type { Route } from '@tapedeck/contract/route';
import Type, { type TProperties } from 'typebox';
import type { HandledRoute, RouteModule } from './routing.ts';

type PathAlias = {
  alias: string;
  /** The canonical path. */
  path: string;
  name: string;
  /** The clients that use the path, as the end of a sentence about the route. */
  clients: string;
  params?: TProperties;
};

const versionParams = { version: Type.String({ pattern: '^\\d+$' }) };

/** Separate routes, so that the canonical one stays as fast. */
const pathAliases: readonly PathAlias[] = [
  {
    alias: '/api/v3/logs/discord',
    path: '/api/v3/logs/chat',
    name: 'discord',
    clients: 'for clients that name Discord',
  },
  {
    alias: '/api/v{version}/webhooks/{webhook}/{token}',
    path: '/api/webhooks/{webhook}/{token}',
    name: 'versioned',
    clients: 'for clients that name a version',
    params: versionParams,
  },
  {
    alias: '/api/webhooks/{webhook}/{token}/slack',
    path: '/api/webhooks/{webhook}/{token}/attachments',
    name: 'slack',
    clients: 'for clients that name Slack',
  },
  {
    alias: '/api/v{version}/webhooks/{webhook}/{token}/slack',
    path: '/api/webhooks/{webhook}/{token}/attachments',
    name: 'slack_versioned',
    clients: 'for clients that name Slack and a version',
    params: versionParams,
  },
];

/** Adds the alternative paths of a module's routes. */
export function addRouteAliases<Deps>({ routes, handle }: RouteModule<Deps>): RouteModule<Deps> {
  return {
    routes: routes.flatMap(route => [route, ...listAliases(route)]),
    handle: deps => handle(deps).flatMap(handled => [handled, ...listHandledAliases(handled)]),
  };
}

function listAliases(route: Route): Route[] {
  return pathAliases
    .filter(({ path }) => path === route.path)
    .map(({ alias, name, clients, params }) => ({
      ...route,
      id: `${route.id}_${name}`,
      path: alias,
      summary: route.summary.replace(/[.;,]/, sign => `, ${clients}${sign}`),
      ...(params && { params: Type.Object({ ...params, ...route.params?.properties }) }),
    }));
}

function listHandledAliases(handled: HandledRoute): HandledRoute[] {
  return listAliases(handled.route).map(alias => ({ ...handled, route: alias }));
}
