/** All doors for other programs' protocols. */
import type { SentDeps } from '../../intake/protocol/ingest.ts';
import type { FileDeps } from '../handlers/files.ts';
import type { RouteModule } from '../routing.ts';
import { handleBulk } from './bulk.ts';
import * as contract from './contract.ts';
import { handleDatadog } from './datadog.ts';
import { handleElasticsearch } from './elasticsearch.ts';
import { handleFivemerr } from './fivemerr.ts';
import { handleLines } from './lines.ts';
import { handleLoki } from './loki.ts';
import { handleOtlp } from './otlp.ts';
import { handleSplunk } from './splunk.ts';

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
