/** Adds routes for the alternative paths that existing clients use. */

import type { Route } from '@tapedeck/contract/route';
import Type, { type TProperties } from 'typebox';
import type { HandledRoute, RouteModule } from './routing.ts';

type PathSpelling = {
  spelled: string;
  means: string;
  name: string;
  /** The clients that use the path, as the end of a sentence about the route. */
  clients: string;
  params?: TProperties;
};

const versionParams = { version: Type.String({ pattern: '^\\d+$' }) };

/** Separate routes, so that the canonical one stays as fast. */
const pathSpellings: readonly PathSpelling[] = [
  {
    spelled: '/api/v3/logs/discord',
    means: '/api/v3/logs/chat',
    name: 'discord',
    clients: 'for clients that name Discord',
  },
  {
    spelled: '/api/v{version}/webhooks/{webhook}/{token}',
    means: '/api/webhooks/{webhook}/{token}',
    name: 'versioned',
    clients: 'for clients that name a version',
    params: versionParams,
  },
  {
    spelled: '/api/webhooks/{webhook}/{token}/slack',
    means: '/api/webhooks/{webhook}/{token}/attachments',
    name: 'slack',
    clients: 'for clients that name Slack',
  },
  {
    spelled: '/api/v{version}/webhooks/{webhook}/{token}/slack',
    means: '/api/webhooks/{webhook}/{token}/attachments',
    name: 'slack_versioned',
    clients: 'for clients that name Slack and a version',
    params: versionParams,
  },
];

/** Adds the alternative paths of a module's routes. */
export function addRouteAliases<Deps>({ routes, handle }: RouteModule<Deps>): RouteModule<Deps> {
  return {
    routes: routes.flatMap(route => [route, ...respellRoute(route)]),
    handle: deps => handle(deps).flatMap(handled => [handled, ...respellHandled(handled)]),
  };
}

function respellRoute(route: Route): Route[] {
  return pathSpellings
    .filter(({ means }) => means === route.path)
    .map(({ spelled, name, clients, params }) => ({
      ...route,
      id: `${route.id}_${name}`,
      path: spelled,
      summary: route.summary.replace(/[.;,]/, sign => `, ${clients}${sign}`),
      ...(params && { params: Type.Object({ ...params, ...route.params?.properties }) }),
    }));
}

function respellHandled(handled: HandledRoute): HandledRoute[] {
  return respellRoute(handled.route).map(spelled => ({ ...handled, route: spelled }));
}
