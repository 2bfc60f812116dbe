/** All doors for other programs' protocols. */
import type { SentDeps } from '../../intake/sent/takeSent.ts';
import type { FileDeps } from '../handlers/files.ts';
import type { RouteModule } from '../routing.ts';
import { handleBulk } from './bulkDoor.ts';
import * as contract from './contract.ts';
import { handleDatadog } from './datadogDoor.ts';
import { handleElasticsearch } from './elasticsearchDoor.ts';
import { handleFivemerr } from './fivemerrDoor.ts';
import { handleLines } from './linesDoor.ts';
import { handleLoki } from './lokiDoor.ts';
import { handleOtlp } from './otlpDoor.ts';
import { handleSplunk } from './splunkDoor.ts';

export const ingestModule: RouteModule<SentDeps & FileDeps & { version: string }> = {
  routes: [
    ...Object.values(contract.lokiRoutes),
    ...contract.otlpRoutes,
    ...contract.bulkRoutes,
    ...Object.values(contract.elasticsearchRoutes),
    ...contract.clusterRoutes,
    ...contract.refreshRoutes,
    ...contract.documentRoutes,
    ...contract.datadogRoutes,
    contract.datadogValidation,
    ...[...contract.splunkEventRoutes, ...contract.splunkRawRoutes, ...contract.splunkHealthRoutes],
    contract.splunkAckRoute,
    contract.linesRoute,
    ...contract.fivemerrUploads.map(({ route }) => route),
  ],
  handle: deps => [
    ...handleLoki(deps, deps.version),
    ...handleOtlp(deps),
    ...handleBulk(deps),
    ...handleElasticsearch(deps),
    ...handleDatadog(deps),
    ...handleSplunk(deps),
    handleLines(deps),
    ...handleFivemerr(deps),
  ],
};
