/** The API as data, area by area, in its newest version. */
import * as accountArea from './accounts.ts';
import * as auditArea from './audit.ts';
import * as datasetArea from './datasets.ts';
import * as fileArea from './files.ts';
import * as logArea from './logs.ts';
import * as logViewArea from './logViews.ts';
import * as mediaArea from './media.ts';
import * as projectFileArea from './projectFiles.ts';
import * as projectLogArea from './projectLogs.ts';
import * as projectArea from './projects.ts';
import type { Route } from './route.ts';
import * as sdkArea from './sdk.ts';
import * as systemArea from './system.ts';
import * as tokenArea from './tokens.ts';
import * as usageArea from './usage.ts';
import * as userArea from './users.ts';
import * as webhookArea from './webhooks.ts';

export { errorsOf, impliedErrors, type Route } from './route.ts';

export const system = listRoutes(systemArea);
export const files = listRoutes(fileArea);
export const media = listRoutes(mediaArea);
export const logs = listRoutes(logArea);
export const webhooks = listRoutes(webhookArea);
export const sdk = listRoutes(sdkArea);
export const accounts = listRoutes(accountArea);
export const users = listRoutes(userArea);
export const projects = listRoutes(projectArea);
export const tokens = listRoutes(tokenArea);
export const projectFiles = listRoutes(projectFileArea);
export const projectLogs = listRoutes(projectLogArea);
export const logViews = listRoutes(logViewArea);
export const datasets = listRoutes(datasetArea);
export const usage = listRoutes(usageArea);
export const audit = listRoutes(auditArea);

export const routes: readonly Route[] = [
  system,
  files,
  media,
  logs,
  webhooks,
  sdk,
  accounts,
  users,
  projects,
  tokens,
  projectFiles,
  projectLogs,
  logViews,
  datasets,
  usage,
  audit,
].flat();

/** Areas export their shared shapes beside their routes. */
function listRoutes(area: Readonly<Record<string, unknown>>): Route[] {
  return Object.values(area).filter(isRoute);
}

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'method' in value && 'access' in value;
}
