/** Answers the questions that people ask about the logs of their project. */
import * as contract from '../../contract/projectLogs.ts';
import { type HandledRoute, handle } from '../registry.ts';
import { answerLogQuestions } from './logQueries.ts';
import { answerLogStreams, type LogStreamDeps } from './logStreams.ts';

export function handleProjectLogs(deps: LogStreamDeps): HandledRoute[] {
  const { query, get, context, histogram, facets } = answerLogQuestions(deps);
  const streams = answerLogStreams(deps);
  return [
    handle(contract.queryProjectLogs, query),
    handle(contract.getProjectLog, get),
    handle(contract.getProjectLogContext, context),
    handle(contract.getProjectHistogram, histogram),
    handle(contract.getProjectFacets, facets),
    handle(contract.exportProjectLogs, streams.export),
    handle(contract.tailProjectLogs, streams.tail),
  ];
}
