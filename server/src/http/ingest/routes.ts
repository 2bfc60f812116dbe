/** All routes of other programs' protocols. */
import type { FileDeps } from '../handlers/files.ts';
import type { RouteModule } from '../routing.ts';
import { entryRoutes, fivemerrUploads, questionRoutes } from './contract.ts';
import { handleFivemerrUploads } from './fivemerrUploads.ts';
import { handleProtocols, type ProtocolDeps } from './protocolRoutes.ts';

export const ingestModule: RouteModule<ProtocolDeps & FileDeps> = {
  routes: [...entryRoutes, ...questionRoutes, ...fivemerrUploads].map(({ route }) => route),
  handle: deps => [...handleProtocols(deps), ...handleFivemerrUploads(deps)],
};
