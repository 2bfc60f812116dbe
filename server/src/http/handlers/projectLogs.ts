/** Handles a project's logs for signed-in users. */
import * as contract from '@tapedeck/contract/projectLogs';
import type { LogSearchDeps } from '@tapedeck/domain/logs/search/searchFilter';
import { type HandledRoute, handle } from '../routing.ts';
import { respondLogExport } from './logExport.ts';
import { respondLogQueries } from './logQueries.ts';
import { type LogTailDeps, respondLogTail } from './logTail.ts';

export function handleProjectLogs(deps: LogSearchDeps & LogTailDeps): HandledRoute[] {
  const { query, get, context, children, histogram, series, patterns, facets, comparison, fields, values } =
    respondLogQueries(deps);
  return [
    handle(contract.queryProjectLogs, query),
    handle(contract.getProjectLog, get),
    handle(contract.getProjectLogContext, context),
    handle(contract.listProjectLogChildren, children),
    handle(contract.getProjectHistogram, histogram),
    handle(contract.getProjectSeries, series),
    handle(contract.listProjectLogPatterns, patterns),
    handle(contract.getProjectFacets, facets),
    handle(contract.compareProjectLogs, comparison),
    handle(contract.listProjectLogFields, fields),
    handle(contract.listProjectLogValues, values),
    handle(contract.exportProjectLogs, respondLogExport(deps)),
    handle(contract.tailProjectLogs, respondLogTail(deps)),
  ];
}
