/**
 * Streams every match, one time slice after the other, so that neither the engine nor the service holds many matches,
 * and no query opens all parts at once.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { composeTraceId, type LogEntry, type LogFilter, type LogPage } from '@tapedeck/log-entries';
import { Failure } from '@tapedeck/values/failure';
import { Binder, type Statement } from '../writer/engine/statements.ts';
import { type EntryDeps, formatSelect } from './entries.ts';
import { entryColumns, readEntry } from './entryRows.ts';
import { guessWindow, skipWindow, startAtCursor } from './pageGuesses.ts';
import { queryStream, queryTexts, type Runner, type StreamOptions } from './queryRunner.ts';

const sliceGrowthMax = 32; // if few entries match, so that few queries suffice
const failuresMax = 30; // in a row, without an entry in between them
const failurePauseMs = 1_000;
const identityCharacters = 24; // sixteen digits, with the signs around them
const longEntriesShare = 1 / 64; // of a slice, if entries are long
const sliceShareWanted = 0.25; // of matches; with a smaller share the next slice is twice as long

type StreamRequest = Pick<LogPage, 'order' | 'after'> & { signal: AbortSignal };

/** Describes what to stream of each entry. */
type Reading<Item> = {
  columns: string;
  ask(runner: Runner, options: StreamOptions, statement: Statement): AsyncGenerator<Item[]>;
  nameTrace(item: Item): string;
};

const wholeEntries: Reading<LogEntry> = {
  columns: entryColumns,
  async *ask(...args) {
    for await (const rows of queryStream(...args)) yield rows.map(readEntry);
  },
  nameTrace: ({ traceId }) => traceId,
};

const texts: Reading<string> = {
  columns:
    'toUnixTimestamp64Micro(timestamp), body, resource, level, dataset, metadata, lower(hex(identity))',
  ask: queryTexts,
  nameTrace: text => {
    // Time and identity are the first and the last column. Parsing a long row for them would block the event loop.
    const [, micros] = /^\[\s*(\d+)/.exec(text) ?? [];
    const [, identity = ''] = /"([0-9a-f]+)"\s*\]$/.exec(text.slice(-identityCharacters)) ?? [];
    return composeTraceId(Number(micros), identity);
  },
};

export function streamEntries(
  deps: EntryDeps,
  filter: LogFilter,
  request: StreamRequest,
): AsyncGenerator<LogEntry[]> {
  return streamAll(deps, filter, { ...request, reading: wholeEntries });
}

/** Streams entries as JSON, for callers that pass them to another thread. */
export function streamEntryTexts(
  deps: EntryDeps,
  filter: LogFilter,
  request: StreamRequest,
): AsyncGenerator<string[]> {
  return streamAll(deps, filter, { ...request, reading: texts });
}

type ReadingRequest<Item> = StreamRequest & { reading: Reading<Item> };

/**
 * Streams all entries. If the engine stops or runs out of memory on the way, it waits and continues after the last entry. If a query needs
 * too much memory, it retries with fewer entries.
 */
async function* streamAll<Item>(
  deps: EntryDeps,
  filter: LogFilter,
  request: ReadingRequest<Item>,
): AsyncGenerator<Item[]> {
  let { after } = request;
  let failures = 0;
  for (;;) {
    const wereSmall = areBlocksSmall(deps);
    try {
      for await (const items of streamOnce(deps, filter, { ...request, after })) {
        yield items;
        const last = items.at(-1);
        if (last !== undefined) after = request.reading.nameTrace(last);
        failures = 0;
      }
      return;
    } catch (error) {
      // A stream that fails before its first entry rejects. After that, the stream continues.
      const isWorthAnother = after !== request.after || (areBlocksSmall(deps) && !wereSmall);
      if (!isPassing(error) || !isWorthAnother || ++failures > failuresMax) throw error;
    }
    await wait(failurePauseMs, undefined, { signal: request.signal });
  }
}

function areBlocksSmall({ runner }: EntryDeps): boolean {
  return runner.blocks.areSmall(runner.holder);
}

function isPassing(error: unknown): boolean {
  return error instanceof Failure && ['engine_unavailable', 'overloaded'].includes(error.code);
}

async function* streamOnce<Item>(
  deps: EntryDeps,
  filter: LogFilter,
  request: ReadingRequest<Item>,
): AsyncGenerator<Item[]> {
  let rest: LogFilter | null = startAtCursor(filter, request);
  const sliceEntriesMin = Math.ceil(deps.sliceEntries * (areBlocksSmall(deps) ? longEntriesShare : 1));
  let sliceEntries = sliceEntriesMin;
  while (rest !== null) {
    request.signal.throwIfAborted();
    const window = guessWindow(await deps.spans.list(), {
      ...request,
      after: null,
      filter: rest,
      entries: sliceEntries,
    });
    let matches = 0;
    for await (const items of streamSlice(deps, { ...rest, ...window }, request)) {
      matches += items.length;
      yield items;
    }
    const isSparse = matches < sliceEntriesMin * sliceShareWanted;
    sliceEntries = isSparse
      ? Math.min(sliceEntries * 2, deps.sliceEntries * sliceGrowthMax)
      : sliceEntriesMin;
    rest = window === null ? null : skipWindow(rest, window, request.order);
  }
}

function streamSlice<Item>(
  deps: EntryDeps,
  filter: LogFilter,
  { reading, ...request }: ReadingRequest<Item>,
): AsyncGenerator<Item[]> {
  const binder = new Binder();
  const sql = formatSelect(deps.table, filter, { ...request, binder, columns: reading.columns });
  const options = { weight: 'export', signal: request.signal } as const;
  return reading.ask(deps.runner, options, { sql, parameters: binder.parameters });
}
