/** The whole API as data, area by area. */
import * as accounts from './accounts.ts';
import * as audit from './audit.ts';
import * as files from './files.ts';
import * as projects from './projects.ts';
import type { Route } from './route.ts';
import * as system from './system.ts';
import * as tokens from './tokens.ts';
import * as users from './users.ts';

export { errorsOf, impliedErrors, type Route } from './route.ts';

const areas = [system, files, accounts, users, projects, tokens, audit];

export const routes: readonly Route[] = areas.flatMap(area => Object.values(area).filter(isRoute));

/** Areas export their shared shapes beside their routes. */
function isRoute(value: object): value is Route {
  return 'method' in value && 'access' in value;
}
