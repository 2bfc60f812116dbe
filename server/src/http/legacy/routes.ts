/** The routes of V1 and V2. Deleting this folder removes them. */
import type { EntryIntakeDeps } from '../../intake/entryIntake.ts';
import type { FileDeps } from '../handlers/files.ts';
import type { RouteModule } from '../routing.ts';
import { legacyRoutes } from './contract.ts';
import { handleLegacyFiles } from './files.ts';
import { handleLegacyLogs } from './logs.ts';

export const legacyModule: RouteModule<FileDeps & EntryIntakeDeps> = {
  routes: legacyRoutes,
  handle: deps => [...handleLegacyFiles(deps), ...handleLegacyLogs(deps)],
};
