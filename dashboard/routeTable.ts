/** Puts the client's finished table of routes into the build, so that the contract's schemas stay out of it. */
import type { Plugin } from 'vite';
import { routeTable } from '../client/src/routes.ts';

export function finishRouteTable(): Plugin {
  return {
    name: 'finish-route-table',
    load: id =>
      id.endsWith('/client/src/routes.ts')
        ? `export const routeTable = ${JSON.stringify(routeTable)};`
        : undefined,
  };
}
