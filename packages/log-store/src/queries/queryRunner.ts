/** Asks the engine within limits: how long, with how much memory and how many threads, and who goes first. */
import { Gate } from '@tapedeck/concurrency/gate';
import { LogStoreFailure } from '../failures.ts';
import type { LogIntake } from '../intake/logIntake.ts';
import {
  describeTimeout,
  queryRows,
  type Row,
  type Statement,
  streamRows,
  streamTexts,
} from '../writer/engine/statements.ts';
import type { EngineAccess } from '../writer/engine/supervision.ts';
import { sequentialSettings } from '../writer/schema/replication.ts';
import { Blocks } from './blockSizes.ts';
import { SharedWaiting } from './queuedDuplicates.ts';

export const logQueryTimeMsMax = 30_000; // CONTRACT.md, 4.2
const wholeBatchesMsMax = 5_000; // an insert that takes longer is in trouble

/**
 * Light queries read little and are sent at once. An index leads searches to few entries, so they have a line of their
 * own and don't wait behind heavy queries, which may read everything. Exports take as long as they need, and so do
 * followers that catch up with the log: a thousand of them may come at once, and nobody waits for their results. All
 * but light queries run with a lower priority. It is only a little lower, because a very nice thread gets nothing on a
 * busy machine.
 */
export type Weight = 'light' | 'search' | 'heavy' | 'export' | 'catchUp';

export type Asking = { weight: Weight; signal: AbortSignal };

export type StreamAsking = Asking & {
  /** Aborting ends only the wait in line, not a query that has been sent. */
  line?: AbortSignal;
  /** Called at the end of the waiting. */
  onPass?(): void;
};

export type Runner = {
  /** The owner of these queries: a project, or '' for the service itself. */
  holder: string;
  /** The server that answers for all shards. */
  access: EngineAccess;
  gates: Readonly<Record<Weight, Gate>>;
  /** Equal statements in line, by the server that is asked. */
  waiting: WeakMap<EngineAccess, SharedWaiting<readonly Row[]>>;
  memoryBytesMax: number;
  /** Resolves when a question that is sent at once finds no batch in part. */
  waitForWholeBatches: LogIntake['waitForWholeBatches'];
  /** How many entries are taken at a time. */
  blocks: Blocks;
  /** Settings of every query, unless its weight overrides them. */
  settings: Readonly<Record<string, number>>;
};

/** A single project gets half of each, rounded up. */
const passesMax: Readonly<Record<Weight, number>> = {
  light: 16, // more at once only wait for each other's processors
  search: 3,
  heavy: 3,
  export: 8, // a slow reader holds its pass
  catchUp: 3,
};

const threadsMax = 2;
const queryCharactersMax = 16 * 1024 * 1024; // each column whose case is folded names all characters that fold: 8 KiB
const idleSendTimeSecondsMax = 3_600; // a reader of an export may pause
const unlimitedSeconds = 0;

/**
 * For small statements that the key leads to. The engine's analyzer works out all computed columns of the table, needed
 * or not, which takes longer than the rest of such a statement. The older planner doesn't, but it reads more columns to
 * decide about an entry. So queries that look at texts keep the analyzer (`DECISIONS.md`, "Small statements go without
 * the analyzer").
 */
export const plainSettings = { enable_analyzer: 0 };

/** For statements that read all metadata anyway, or several paths of it: the engine would read it anew for each path that it asks about. */
export const wholeMapSettings = { optimize_functions_to_subcolumns: 0 };

/** All threads, though few rows are read: each lies in a block of its own, and all of them are needed. */
const scatteredSettings = {
  merge_tree_min_rows_for_concurrent_read: 4_096,
  merge_tree_min_bytes_for_concurrent_read: 1,
};

/** One thread for each statement: threads that read ahead of a page unpack what it does not need. */
const needleSettings = { merge_tree_min_rows_for_concurrent_read: 1_000_000_000 };

type PageKind = {
  /** Whether the key leads to its entries. */
  isOfKey: boolean;
  /** Whether one statement finds all of it. */
  isWhole: boolean;
  /** Whether its entries lie in blocks that are known. */
  isScattered: boolean;
};

export function composePageSettings({ isOfKey, isWhole, isScattered }: PageKind): Record<string, number> {
  return {
    ...(isOfKey ? plainSettings : {}),
    ...wholeMapSettings,
    ...(isWhole ? {} : needleSettings),
    ...(isScattered ? scatteredSettings : {}),
  };
}

/** Of counts that an index leads: they read next to nothing else, so that planning is most of them. No projection knows what indexes do. */
export const ledSettings = { ...plainSettings, optimize_use_projections: 0 };

const weightSettings: Readonly<Record<Weight, Readonly<Record<string, number>>>> = {
  light: {},
  search: { os_threads_nice_value_query: 2 },
  heavy: { os_threads_nice_value_query: 4 },
  export: {
    os_threads_nice_value_query: 14,
    http_send_timeout: idleSendTimeSecondsMax,
    output_format_parallel_formatting: 1, // many rows, as fast as they are read
  },
  catchUp: { os_threads_nice_value_query: 6 },
};

const commonSettings = {
  max_threads: threadsMax,
  max_query_size: queryCharactersMax,
  precise_float_parsing: 1, // numbers in metadata are those that JSON.parse reads
  // A term of few letters is looked up in the dictionary too, and however many words hold it.
  text_index_like_min_pattern_length: 1,
  text_index_like_max_postings_to_read: 1_000_000,
  // What is looked for in merged parts and in others must be found once, though a merge may end meanwhile (`conditions.ts`).
  enable_shared_storage_snapshot_in_query: 1,
  // A shard that does not answer is an error, never a smaller result.
  skip_unavailable_shards: 0,
  ...sequentialSettings,
  // The best entries of a page are picked again and again, however little that saves: those that were found would be kept until the end.
  max_bytes_before_remerge_sort: 50_000_000,
  remerge_sort_lowered_memory_bytes_ratio: 1,
  // The cache saves little, and it is doubtful whether its answers are right after a deletion.
  use_query_condition_cache: 0,
};

type RunnerOptions = Pick<Runner, 'access' | 'memoryBytesMax' | 'waitForWholeBatches'>;

export function createRunner(options: RunnerOptions): Runner {
  return {
    ...options,
    holder: '',
    blocks: new Blocks(options.memoryBytesMax),
    settings: commonSettings,
    waiting: new WeakMap(),
    gates: {
      light: new Gate(passesMax.light, { leavesRoom: true }),
      search: new Gate(passesMax.search, { leavesRoom: true }),
      heavy: new Gate(passesMax.heavy, { leavesRoom: true }),
      export: new Gate(passesMax.export, { leavesRoom: true }),
      catchUp: new Gate(passesMax.catchUp, { leavesRoom: true }),
    },
  };
}

/** All rows of an answer, which others may hold, too. Waiting in line counts towards the time limit. */
export async function askRows(runner: Runner, asking: Asking, statement: Statement): Promise<readonly Row[]> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(describeTimeout()), logQueryTimeMsMax);
  const signal = AbortSignal.any([asking.signal, deadline.signal]);
  const { holder, access, gates } = runner;
  const { weight } = asking;
  const key = JSON.stringify([holder, weight, statement]);
  try {
    return await findWaiting(runner).ask(key, signal, async (leaving, begin) => {
      using _pass = await gates[weight].enter(holder, leaving);
      await runner.waitForWholeBatches(wholeBatchesMsMax, leaving);
      begin();
      const limited = { weight, signal: leaving, seconds: logQueryTimeMsMax / 1000 };
      const ask = () => queryRows(access, complete(runner, limited, statement));
      return await ask().catch(error => {
        if (runner.blocks.noteFailure(holder, error)) return ask();
        throw error;
      });
    });
  } finally {
    clearTimeout(timer);
  }
}

function findWaiting({ waiting, access }: Runner): SharedWaiting<readonly Row[]> {
  const known = waiting.get(access) ?? new SharedWaiting();
  waiting.set(access, known);
  return known;
}

/** Streams rows without a time limit. */
export function askStream(runner: Runner, asking: StreamAsking, statement: Statement): AsyncGenerator<Row[]> {
  return askBatches(runner, asking, { statement, stream: streamRows });
}

/** Each row as the JSON of an array. */
export function askTexts(
  runner: Runner,
  asking: StreamAsking,
  statement: Statement,
): AsyncGenerator<string[]> {
  return askBatches(runner, asking, { statement, stream: streamTexts });
}

type Streaming<Item> = {
  statement: Statement;
  stream(access: EngineAccess, statement: Statement): AsyncGenerator<Item[]>;
};

async function* askBatches<Item>(
  runner: Runner,
  asking: StreamAsking,
  { statement, stream }: Streaming<Item>,
): AsyncGenerator<Item[]> {
  using _pass = await enterLine(runner, asking);
  asking.onPass?.();
  await runner.waitForWholeBatches(wholeBatchesMsMax, asking.signal);
  const ask = () =>
    stream(runner.access, complete(runner, { ...asking, seconds: unlimitedSeconds }, statement));
  let isBegun = false;
  try {
    for await (const items of ask()) {
      isBegun = true;
      yield items;
    }
  } catch (error) {
    // The reader would get the first rows twice.
    if (!runner.blocks.noteFailure(runner.holder, error) || isBegun) throw error;
    yield* ask();
  }
}

/** A slow reader of an export holds its pass for long. A reader that finds none free gets an error after a while. */
function enterLine(runner: Runner, { weight, signal, line }: StreamAsking): Promise<Disposable> {
  const gate = runner.gates[weight];
  if (weight === 'export')
    return gate.enterWithin(runner.holder, { timeMsMax: logQueryTimeMsMax, refuse: describeCrowd, signal });
  return gate.enter(runner.holder, line === undefined ? signal : AbortSignal.any([line, signal]));
}

function describeCrowd(): LogStoreFailure {
  return new LogStoreFailure('overloaded', 'Too many exports are being read at once; try again later.', {
    retryAfterSeconds: 30,
  });
}

function complete(runner: Runner, asking: Asking & { seconds: number }, statement: Statement): Statement {
  return {
    ...statement,
    signal: asking.signal,
    settings: {
      ...runner.settings,
      ...weightSettings[asking.weight],
      max_execution_time: asking.seconds,
      max_memory_usage: runner.memoryBytesMax,
      ...statement.settings,
      ...runner.blocks.settingsOf(runner.holder, runner.access),
    },
  };
}
