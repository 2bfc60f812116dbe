/** Handles the timeline: log entries and files in one list. */

import * as contract from '@tapedeck/contract/timeline';
import { formatMicros } from '@tapedeck/log-entries';
import type { UrlDeps } from '../../domain/files/naming.ts';
import type { Reader } from '../../domain/identity/principals.ts';
import { allDatasets, composeFilter } from '../../domain/logs/search/searchFilter.ts';
import {
  findTimeline,
  readTimelineQuery,
  type TimelineDeps,
  type TimelineQuestion,
} from '../../domain/subjects/timeline.ts';
import { isLong, presentEntry } from '../logs/entryForms.ts';
import { readEntries } from '../logs/logQueryRequests.ts';
import { sendInTurns } from '../longAnswers.ts';
import { type QueryParameters, readFlag, readParameters, readSingle } from '../queryParameters.ts';
import { type HandledRoute, handle, ok, signalOf } from '../routing.ts';
import { writeFile } from './fileRecords.ts';

type TimelineRouteDeps = TimelineDeps & UrlDeps;

export function handleTimeline(deps: TimelineRouteDeps): HandledRoute[] {
  return [
    handle(contract.getTimeline, async ({ caller, query, request, reply }) => {
      const parameters = readParameters(request.url);
      const timelineRequest = {
        question: readTimelineQuestion(caller, parameters),
        kind: query.kind ?? null,
        limit: query.limit,
        cursor: query.cursor,
        includeTotal: readFlag(parameters, 'includeTotal'),
      };
      const { rows, ...pagination } = await findTimeline(deps, caller, {
        request: timelineRequest,
        signal: signalOf(reply),
      });
      const data = rows.map(row => {
        if (row.kind === 'entry') return { kind: row.kind, ...presentEntry(row.entry) };
        const timestamp = formatMicros(row.file.listedAt * 1000);
        return { kind: row.kind, timestamp, ...writeFile(deps, caller.project, row.file) };
      });
      const answer = { ...ok, data, pagination };
      return isLong(answer) ? sendInTurns(reply, answer) : answer;
    }),
  ];
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
