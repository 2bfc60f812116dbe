/** Handles the timeline: log entries and files in one list. */

import * as contract from '@tapedeck/contract/timeline';
import type { UrlDeps } from '@tapedeck/domain/files/naming';
import type { Reader } from '@tapedeck/domain/identity/principals';
import { allDatasets, composeFilter } from '@tapedeck/domain/logs/search/searchFilter';
import {
  findTimeline,
  readTimelineQuery,
  type TimelineDeps,
  type TimelineQuestion,
  type TimelineRow,
} from '@tapedeck/domain/subjects/timeline';
import { formatMicros, type LogEntry } from '@tapedeck/log-entries';
import { presentEntry } from '../logs/entryForms.ts';
import { readEntries } from '../logs/logQueryRequests.ts';
import { isLong, sendInTurns } from '../longResponses.ts';
import { type QueryParameters, readFlag, readSingle } from '../queryParameters.ts';
import { type HandledRoute, handle, ok, signalOf } from '../routing.ts';
import { writeFile } from './fileRecords.ts';

type TimelineRouteDeps = TimelineDeps & UrlDeps;

export function handleTimeline(deps: TimelineRouteDeps): HandledRoute[] {
  return [
    handle(contract.getTimeline, async ({ caller, query, request, reply }) => {
      const { parameters } = request;
      const timelineRequest = {
        question: readTimelineQuestion(caller, parameters),
        kind: query.kind ?? null,
        limit: query.limit,
        cursor: query.cursor,
        includeTotal: readFlag(parameters, 'includeTotal'),
      };
      const signal = signalOf(reply);
      const { rows, ...pagination } = await findTimeline(deps, caller, { request: timelineRequest, signal });
      const read = rows.filter(isRead);
      const data =
        read.length === rows.length
          ? read.map(row => presentRow(deps, caller, row))
          : readRows(deps, caller, { rows, signal });
      if (Array.isArray(data) && !isLong(data)) return { ...ok, data, pagination };
      return sendInTurns(reply, { ...ok, data, pagination });
    }),
  ];
}

type ReadRow = Exclude<TimelineRow, { kind: 'entry' }> | { kind: 'entry'; entry: LogEntry };

function isRead(row: TimelineRow): row is ReadRow {
  return row.kind === 'file' || 'body' in row.entry;
}

function presentRow(deps: UrlDeps, { project }: Reader, row: ReadRow) {
  if (row.kind === 'entry') return { kind: row.kind, ...presentEntry(row.entry) };
  const timestamp = formatMicros(row.file.listedAt * 1000);
  return { kind: row.kind, timestamp, ...writeFile(deps, project, row.file) };
}

/** Reads unread entries while they are written. */
async function* readRows(
  deps: TimelineRouteDeps,
  reader: Reader,
  { rows, signal }: { rows: readonly TimelineRow[]; signal: AbortSignal },
): AsyncGenerator<ReturnType<typeof presentRow>> {
  const listed = rows.flatMap(row => (row.kind === 'entry' ? [row.entry] : []));
  const entries = deps.logQueries.streamListed(reader.project.slug, listed, signal)[Symbol.asyncIterator]();
  try {
    for (const row of rows) {
      if (row.kind === 'file') yield presentRow(deps, reader, row);
      else {
        const entry = (await entries.next()).value; // null: deleted meanwhile
        if (entry) yield presentRow(deps, reader, { kind: 'entry', entry });
      }
    }
  } finally {
    await entries.return?.();
  }
}

/** Reads only query, times and dataset. Other filters apply to only one kind of row. */
export function readTimelineQuestion(
  caller: Reader,
  parameters: Readonly<Record<string, string | readonly string[] | undefined>>,
): TimelineQuestion {
  const entriesRequest = readEntries(
    { ...pick(parameters, ['query', 'from', 'to', 'dataset']) },
    allDatasets,
  );
  return readTimelineQuery(composeFilter(caller, entriesRequest), entriesRequest.query);
}

function pick(parameters: QueryParameters, names: readonly string[]): QueryParameters {
  return Object.fromEntries(names.map(name => [name, readSingle(parameters, name)]));
}
