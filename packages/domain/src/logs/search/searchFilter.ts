/** Turns a request's query, datasets and time range into the filter that every log query starts from. Errors name the invalid parameter. */

import { allOf, type Condition, parseQuery, type TextField } from '@tapedeck/log-query-language';
import { parseInstantMicros } from '@tapedeck/values/json';
import type { Scopes } from '../../identity/scopes.ts';
import type { LogFilter, LogPlace, LogQueries } from '../../ports/logQueries.ts';
import { type MetadataCondition, readTerms, requireFewConditions } from '../../searchTerms.ts';
import { type LogLevel, logLevels, ServiceError } from '../../vocabulary.ts';
import { chooseDatasets, isDatasetName, usualDataset } from '../datasetRules.ts';
import type { CursorSigner } from './pages.ts';

type LogReader = { project: { slug: string }; scopes: Pick<Scopes, 'datasets'> };

export type LogSearchDeps = { logQueries: LogQueries; cursorSeal: CursorSigner };

/** All conditions must hold. Empty texts set no condition. */
export type EntriesRequest = {
  /** A name, or `allDatasets`; absent: `usualDataset`. */
  dataset: string | undefined;
  /** Each is a comma-separated list of words. */
  levels: readonly string[];
  resource: string;
  parentId: string;
  /** Terms in the body. */
  body: string;
  /** Terms in the body or a metadata value. */
  q: string;
  metadata: readonly MetadataCondition[];
  /** A query in the language of `@tapedeck/log-query-language`. */
  query: string;
  /** Instants; both inclusive. */
  from: string | undefined;
  to: string | undefined;
};

export const allDatasets = '*'; // CONTRACT.md, 4.2

/** Throws `scope_missing` if the reader may not read the dataset, and `QueryMistake` for an invalid query. */
export function composeFilter(reader: LogReader, request: EntriesRequest): LogFilter {
  return {
    project: reader.project.slug,
    datasets: findDatasets(reader, request.dataset ?? usualDataset),
    fromMicros: readBound('from', request.from),
    toMicros: readBound('to', request.to),
    condition: composeCondition(request),
  };
}

/** Combines all conditions into one tree of the query language. */
function composeCondition(request: EntriesRequest): Condition {
  const levels = readLevels(request.levels);
  const query = request.query === '' ? null : parseQuery(request.query);
  return allOf([
    ...(levels === null ? [] : [{ kind: 'level', levels } as const]),
    ...(request.resource === '' ? [] : [matchField({ kind: 'resource' }, request.resource)]),
    ...(request.parentId === '' ? [] : [matchField({ kind: 'parentId' }, request.parentId)]),
    ...(request.body === '' ? [] : readTerms('body', request.body).map(matchBody)),
    ...(request.q === '' ? [] : readTerms('q', request.q).map(text => ({ kind: 'content', text }) as const)),
    ...(request.metadata.length === 0 ? [] : requireFewConditions(request.metadata).map(matchMetadata)),
    ...(query === null ? [] : [query]),
  ]);
}

function matchField(field: TextField, text: string): Condition {
  return { kind: 'field', field, values: [{ kind: 'equals', text }] };
}

function matchMetadata({ path, value }: MetadataCondition): Condition {
  return matchField({ kind: 'metadata', path }, value);
}

function matchBody(term: string): Condition {
  return { kind: 'body', values: [{ kind: 'holds', parts: [term] }] };
}

/** Returns the place of a single entry. */
export function composePlace(reader: LogReader, dataset: string, traceId: string): LogPlace {
  return { project: reader.project.slug, datasets: findDatasets(reader, dataset), traceId };
}

/** Returns null for all datasets of the project. */
function findDatasets({ scopes }: Pick<LogReader, 'scopes'>, dataset: string): string[] | null {
  if (dataset === allDatasets) return chooseDatasets(scopes, null);
  if (isDatasetName(dataset)) return chooseDatasets(scopes, dataset);
  throw new ServiceError(
    'invalid_field',
    'dataset must be 1 to 64 letters, digits, _, . or -, or * for all.',
    { field: 'dataset' },
  );
}

function readLevels(lists: readonly string[]): LogLevel[] | null {
  if (lists.length === 0) return null;
  const levels = lists.flatMap(list => list.split(',')).map(word => readLevel(word.trim()));
  return logLevels.filter(level => levels.includes(level));
}

function readLevel(word: string): LogLevel {
  const level = logLevels.find(known => known === word);
  if (level !== undefined) return level;
  throw new ServiceError(
    'invalid_field',
    `level must be one or more of ${logLevels.join(', ')}, separated by commas.`,
    {
      field: 'level',
    },
  );
}

const hasMoreThanMicros = /\.\d{6}\d*[1-9]/;

type BoundName = 'from' | 'to' | 'baselineFrom' | 'baselineTo';

/** Parses a bound into Unix microseconds; null if absent. Between two microseconds, starts round up and ends down. */
export function readBound(name: BoundName, text: string | undefined): number | null {
  if (text === undefined) return null;
  const micros = parseInstantMicros(text);
  if (micros !== null)
    return (name === 'from' || name === 'baselineFrom') && hasMoreThanMicros.test(text) ? micros + 1 : micros;
  throw new ServiceError(
    'invalid_field',
    `${name} must be an RFC 3339 instant, such as 2026-01-02T03:04:05Z.`,
    { field: name },
  );
}
