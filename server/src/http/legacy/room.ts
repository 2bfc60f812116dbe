/** All there is of V1 and V2. */
import type { IngestDeps } from '../../domain/logs/intake/ingest.ts';
import type { FileDeps } from '../handlers/files.ts';
import type { Room } from '../registry.ts';
import { legacyRoutes } from './contract.ts';
import { handleLegacyFiles } from './files.ts';
import { handleLegacyLogs } from './logs.ts';

export const legacyRoom: Room<FileDeps & IngestDeps> = {
  routes: legacyRoutes,
  handle: deps => [...handleLegacyFiles(deps), ...handleLegacyLogs(deps)],
};
