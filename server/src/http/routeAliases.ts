/** Adds routes for the other paths that existing clients use. */
import Type, { type TProperties } from 'typebox';
import type { Route } from '../contract/route.ts';
import type { HandledRoute, RouteModule } from './routing.ts';

type PathSpelling = { spelled: string; means: string; name: string; params?: TProperties };

const versionParams = { version: Type.String({ pattern: '^\\d+$' }) };

/** Routes of their own, so that the canonical one takes no longer. */
const pathSpellings: readonly PathSpelling[] = [
  { spelled: '/api/v3/logs/discord', means: '/api/v3/logs/chat', name: 'discord' },
  {
    spelled: '/api/v{version}/webhooks/{webhook}/{token}',
    means: '/api/webhooks/{webhook}/{token}',
    name: 'versioned',
    params: versionParams,
  },
  {
    spelled: '/api/webhooks/{webhook}/{token}/slack',
    means: '/api/webhooks/{webhook}/{token}/attachments',
    name: 'slack',
  },
  {
    spelled: '/api/v{version}/webhooks/{webhook}/{token}/slack',
    means: '/api/webhooks/{webhook}/{token}/attachments',
    name: 'slack_versioned',
    params: versionParams,
  },
];

/** The module with its routes' other paths beside them. */
export function addRouteAliases<Deps>({ routes, handle }: RouteModule<Deps>): RouteModule<Deps> {
  return {
    routes: routes.flatMap(route => [route, ...respellRoute(route)]),
    handle: deps => handle(deps).flatMap(handled => [handled, ...respellHandled(handled)]),
  };
}

function respellRoute(route: Route): Route[] {
  return pathSpellings
    .filter(({ means }) => means === route.path)
    .map(({ spelled, name, params }) => ({
      ...route,
      id: `${route.id}_${name}`,
      path: spelled,
      ...(params && { params: Type.Object({ ...params, ...route.params?.properties }) }),
    }));
}

function respellHandled(handled: HandledRoute): HandledRoute[] {
  return respellRoute(handled.route).map(spelled => ({ ...handled, route: spelled }));
}
