/**
 * Method and path of every route: the only part of the contract that a running client needs.
 * Browser builds replace this with the finished table, so that the schemas stay out.
 */
import { routes } from '@tapedeck/contract';

/** `POST /api/manage/sign-in`, by route id. */
export const routeTable: Readonly<Record<string, string>> = Object.fromEntries(
  routes.map(({ id, method, path }) => [id, `${method} ${path}`]),
);
