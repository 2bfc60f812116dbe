/**
 * Method and path of every route: all of the contract that a running client needs.
 * Builds for browsers put the finished table here instead, so that the schemas stay behind.
 */
import { routes } from '@tapedeck/contract';

/** `POST /api/manage/sign-in`, by the id of the route. */
export const routeTable: Readonly<Record<string, string>> = Object.fromEntries(
  routes.map(({ id, method, path }) => [id, `${method} ${path}`]),
);
