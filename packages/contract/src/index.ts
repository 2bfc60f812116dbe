/** The newest version of the API as data, area by area. */
import * as areas from './areas.ts';
import type { Route } from './route.ts';

export { errorsOf, impliedErrors, type Route } from './route.ts';

const routesByArea = new Map(Object.entries(areas).map(([name, area]) => [name, listRoutes(area)]));

export const routes: readonly Route[] = [...routesByArea.values()].flat();

export function routesOf(area: keyof typeof areas): readonly Route[] {
  return routesByArea.get(area) ?? [];
}

/** Areas export their shared shapes beside their routes. */
function listRoutes(area: Readonly<Record<string, unknown>>): Route[] {
  return Object.values(area).filter(isRoute);
}

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'method' in value && 'access' in value;
}
