/** Answers the questions that people ask about the logs of their project. */
import * as contract from '../../contract/projectLogs.ts';
import { type HandledRoute, handle } from '../registry.ts';
import { answerExport } from './logExport.ts';
import { answerLogQuestions, type LogQueryDeps } from './logQueries.ts';
import { answerTail, type LogTailDeps } from './logTail.ts';

export function handleProjectLogs(deps: LogQueryDeps & LogTailDeps): HandledRoute[] {
  const { query, get, context, histogram, facets } = answerLogQuestions(deps);
  return [
    handle(contract.queryProjectLogs, query),
    handle(contract.getProjectLog, get),
    handle(contract.getProjectLogContext, context),
    handle(contract.getProjectHistogram, histogram),
    handle(contract.getProjectFacets, facets),
    handle(contract.exportProjectLogs, answerExport(deps)),
    handle(contract.tailProjectLogs, answerTail(deps)),
  ];
}
