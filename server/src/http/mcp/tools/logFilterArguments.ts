/** Turns the arguments that most log tools share into the filter of a search. */

import { readSpanMs } from '@tapedeck/domain/instants';
import { allDatasets, composeFilter } from '@tapedeck/domain/logs/search/searchFilter';
import type { Clock } from '@tapedeck/domain/ports/clock';
import type { LogEntry, LogFilter } from '@tapedeck/domain/ports/logQueries';
import { invalidFieldError } from '@tapedeck/domain/vocabulary';
import { formatMicros } from '@tapedeck/log-entries';
import { parseInstantMicros } from '@tapedeck/values/json';
import { type ListedDeps, type Listing, readListed } from '../../logs/entryForms.ts';
import { cutText, cutValues } from './dataText.ts';
import type { ToolCall } from './tool.ts';

type LogArguments = { query?: string; from?: string; to?: string; dataset?: string };

export function readFilter(
  { clock }: { clock: Clock },
  { caller }: Pick<ToolCall, 'caller'>,
  { query = '', from, to, dataset }: LogArguments,
): LogFilter {
  const now = clock.micros();
  const filter = composeFilter(caller, {
    dataset: dataset === undefined || dataset === '' ? allDatasets : dataset,
    levels: [],
    resource: '',
    parentId: '',
    body: '',
    q: '',
    metadata: [],
    query,
    from: readMoment('from', from, now),
    to: readMoment('to', to, now),
  });
  const { fromMicros, toMicros } = filter;
  if (fromMicros !== null && toMicros !== null && fromMicros > toMicros)
    throw invalidFieldError('from', 'from is later than to: swap them, or leave one out.');
  return filter;
}

function readMoment(name: string, text: string | undefined, nowMicros: number): string | undefined {
  if (text === undefined || text === '') return undefined;
  const agoMs = readSpanMs(text.replace(/^-/, ''));
  if (agoMs !== null) return formatMicros(Math.max(nowMicros - agoMs * 1000, 0));
  if (text === 'now') return formatMicros(nowMicros);
  if (parseInstantMicros(text) !== null) return text;
  throw invalidFieldError(
    name,
    `${name} must be an RFC 3339 instant, such as 2026-01-02T03:04:05Z, or how long ago, such as 30m, 2h or 7d.`,
  );
}

/** States the time, so that an assistant can count back from it. */
export function describeNow({ clock }: { clock: Clock }): string {
  return `It is ${formatMicros(clock.micros()).slice(0, 19)}Z.`;
}

/** Advises what to do if no entry matches. A dataset that does not exist has no entries either. */
export function adviseWithoutMatch(dataset: string | undefined): string {
  const named = dataset && dataset !== allDatasets ? `, leave dataset ${dataset} out` : '';
  return `Widen from and to${named}, or list what exists with log_fields and log_patterns.`;
}

const brief = { bodyCharactersMax: 2_000, metadataCharactersMax: 2_000 }; // rarely reached in a hundred rows
export const full = { bodyCharactersMax: 24_000, metadataCharactersMax: 12_000 }; // fits an answer if few characters need escapes

/** Presents entries in brief, without holding them all. */
export async function presentRows(deps: ListedDeps, listing: Listing): Promise<object[]> {
  const rows: object[] = [];
  for await (const entry of readListed(deps, listing)) rows.push(presentRow(entry, brief));
  return rows;
}

/** Leaves out empty fields and cuts long ones. */
export function presentRow(
  entry: LogEntry,
  { bodyCharactersMax, metadataCharactersMax }: typeof brief,
): object {
  const { traceId, parentId, timestampMicros, dataset, level, resource, body, pattern, metadata } = entry;
  const { kept, left } = cutValues(metadata, metadataCharactersMax);
  return {
    timestamp: formatMicros(timestampMicros),
    level,
    ...(resource !== '' && { resource }),
    body: cutText(body, bodyCharactersMax),
    ...(Object.keys(kept).length > 0 && { metadata: kept }),
    ...(left > 0 && { metadataLeftOut: left }),
    dataset,
    traceId,
    ...(parentId !== '' && { parentId }),
    pattern,
  };
}
