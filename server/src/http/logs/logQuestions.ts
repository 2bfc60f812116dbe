/** Reads which log entries a request asks for: whose, in which datasets, and by which filter. */
import type { FastifyRequest } from 'fastify';
import type { LogFilter } from '../../domain/ports/logQueries.ts';
import type { Reader } from '../../domain/principals.ts';
import { readDatasetHeader } from '../fieldSpellings.ts';
import { type QueryParameters, readParameters } from '../queryParameters.ts';
import { type QueryTarget, readDatasets, readLogFilter } from './logParameters.ts';

type Question = { filter: LogFilter; parameters: QueryParameters };

/** `datasetDefault` is asked for where the request names no dataset. */
export function readQuestion(request: FastifyRequest, caller: Reader, datasetDefault?: string): Question {
  const parameters = readParameters(request.url);
  const target = targetOf(request, caller);
  const headerDataset = target.headerDataset ?? datasetDefault;
  return { filter: readLogFilter({ ...target, headerDataset }, parameters), parameters };
}

/** Where the entry with the traceId is looked for: in the dataset of the request, or else in all of the project. */
export function readPlace(request: FastifyRequest, caller: Reader, traceId: string) {
  const target = targetOf(request, caller);
  // Checked against the contract of the same route.
  const { dataset = target.headerDataset ?? '*' } = request.query as { dataset?: string };
  return { project: caller.project.slug, datasets: readDatasets(target, { dataset }), traceId };
}

function targetOf(request: FastifyRequest, { project, scopes }: Reader): QueryTarget {
  return { project: project.slug, headerDataset: readDatasetHeader(request.headers), scopes };
}
