/** All there is of V1 and V2. */
import type { Room } from '../rooms.ts';
import { legacyRoutes } from './contract.ts';
import { handleLegacyFiles } from './files.ts';
import { handleLegacyLogs } from './logs.ts';

export const legacyRoom: Room = {
  routes: legacyRoutes,
  handle: deps => [...handleLegacyFiles(deps), ...handleLegacyLogs(deps)],
};
