/** Runs queries in the engine within limits of time, memory and threads, and by priority. */
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
import { SharedWaiting } from './coalescing.ts';

export const logQueryTimeMsMax = 30_000; // CONTRACT.md, 4.2
const wholeBatchesMsMax = 5_000; // an insert that takes longer is in trouble

/**
 * Light queries read little and are sent at once. An index leads searches to few entries, so they have a separate line
 * and don't wait behind heavy queries, which may read everything. Exports have no timeout, and neither do followers
 * that catch up with the log: a thousand may come at once, and no user waits for their results. All but light queries
 * run with a slightly lower priority. A much lower one would get no processor time on a busy machine.
 */
export type Weight = 'light' | 'search' | 'heavy' | 'export' | 'catchUp';

export type RunOptions = { weight: Weight; signal: AbortSignal };

type RowOptions = RunOptions & {
  /** Reads each line of the answer; JSON by default. */
  read?: (line: string) => Row | Promise<Row>;
};

export type StreamOptions = RunOptions & {
  /** Aborting ends only the wait in line, not a query that has been sent. */
  line?: AbortSignal;
  /** Called when the wait ends. */
  onPass?(): void;
};

export type Runner = {
  /** The owner of these queries: a project, or '' for the service itself. */
  holder: string;
  /** The server that answers for all shards. */
  access: EngineAccess;
  gates: Readonly<Record<Weight, Gate>>;
  /** Equal statements in line, by server. */
  waiting: WeakMap<EngineAccess, SharedWaiting<readonly Row[]>>;
  memoryBytesMax: number;
  /** Resolves when a query sent now would not see part of a batch. */
  waitForWholeBatches: LogIntake['waitForWholeBatches'];
  /** Limits how many entries the engine reads at a time. */
  blocks: Blocks;
  /** Settings of every query, unless its weight overrides them. */
  settings: Readonly<Record<string, number>>;
};

/** A single project gets at most half of each, rounded up. */
const passesMax: Readonly<Record<Weight, number>> = {
  light: 16, // more would only compete for processors
  search: 3,
  heavy: 3,
  export: 8, // a slow reader holds its pass
  catchUp: 3,
};

const threadsMax = 2;
const queryCharactersMax = 16 * 1024 * 1024; // each case-folded column lists all characters that fold: 8 KiB
const idleSendTimeSecondsMax = 3_600; // a reader of an export may pause
const unlimitedSeconds = 0;

/**
 * For small statements that use the key. The engine's analyzer resolves all computed columns of the table, needed or
 * not, which takes longer than the rest of such a statement. The older planner doesn't, but reads more columns to filter
 * entries. So queries that search texts keep the analyzer (`DECISIONS.md`, "Small statements go without the analyzer").
 */
export const plainSettings = { enable_analyzer: 0 };

/** For statements that the counts beside entries cannot answer. Otherwise the engine compares the statement with each of these counts. */
export const withoutCounts = { optimize_use_projections: 0 };

/** For statements that read all metadata or several paths: the engine would otherwise read the metadata again for each path. */
export const wholeMapSettings = { optimize_functions_to_subcolumns: 0 };

/** Uses all threads even for few rows: each row is in a different block, and the page needs all of them. */
const scatteredSettings = {
  merge_tree_min_rows_for_concurrent_read: 4_096,
  merge_tree_min_bytes_for_concurrent_read: 1,
};

/** Uses one thread per statement: threads that read ahead would decompress blocks that the page does not need. */
const needleSettings = { merge_tree_min_rows_for_concurrent_read: 1_000_000_000 };

type PageKind = {
  /** Whether the key leads to its entries. */
  isOfKey: boolean;
  /** Whether one statement finds the whole page. */
  isWhole: boolean;
  /** Whether the blocks of its entries are known. */
  isScattered: boolean;
};

export function composePageSettings({ isOfKey, isWhole, isScattered }: PageKind): Record<string, number> {
  return {
    ...(isOfKey ? plainSettings : {}),
    ...withoutCounts,
    ...wholeMapSettings,
    ...(isWhole ? {} : needleSettings),
    ...(isScattered ? scatteredSettings : {}),
  };
}

/** For counts that use an index: they read almost nothing, so planning takes most of the time. */
export const ledSettings = { ...plainSettings, ...withoutCounts };

const weightSettings: Readonly<Record<Weight, Readonly<Record<string, number>>>> = {
  light: {},
  search: { os_threads_nice_value_query: 2 },
  heavy: { os_threads_nice_value_query: 4 },
  export: {
    os_threads_nice_value_query: 14,
    http_send_timeout: idleSendTimeSecondsMax,
    output_format_parallel_formatting: 1, // exports have many rows
  },
  catchUp: { os_threads_nice_value_query: 6 },
};

const commonSettings = {
  max_threads: threadsMax,
  max_query_size: queryCharactersMax,
  precise_float_parsing: 1, // reads numbers in metadata exactly like JSON.parse
  // Looks up even short terms in the dictionary, and terms that many words contain.
  text_index_like_min_pattern_length: 1,
  text_index_like_max_postings_to_read: 1_000_000,
  // Reads filters while planning, in one go. While reading entries, the engine reads the same filters, and takes twice as long.
  use_skip_indexes_on_data_read: 0,
  // Statements over merged and unmerged parts must see the same parts, even if a merge ends meanwhile (`conditions.ts`).
  enable_shared_storage_snapshot_in_query: 1,
  // A shard that does not answer is an error, never a smaller result.
  skip_unavailable_shards: 0,
  ...sequentialSettings,
  // Makes the engine discard entries that cannot be on the page early; otherwise it keeps all matches until the end.
  max_bytes_before_remerge_sort: 50_000_000,
  remerge_sort_lowered_memory_bytes_ratio: 1,
  // Parts of earlier versions have statistics. The engine would load them for each statement, and learn nothing that the key does not say.
  use_statistics: 0,
  // The cache saves little, and its results may be wrong after a deletion.
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

/** Returns all rows. Other callers may share them. Waiting in line counts towards the timeout. */
export async function askRows(
  runner: Runner,
  options: RowOptions,
  statement: Statement,
): Promise<readonly Row[]> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(describeTimeout()), logQueryTimeMsMax);
  const signal = AbortSignal.any([options.signal, deadline.signal]);
  const { holder, access, gates } = runner;
  const { weight } = options;
  const key = JSON.stringify([holder, weight, statement]);
  try {
    return await findWaiting(runner).ask(key, signal, async (leaving, begin) => {
      using _pass = await gates[weight].enter(holder, leaving);
      await runner.waitForWholeBatches(wholeBatchesMsMax, leaving);
      begin();
      const limited = { weight, signal: leaving, seconds: logQueryTimeMsMax / 1000 };
      const ask = () => queryRows(access, complete(runner, limited, statement), options.read);
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
export function askStream(
  runner: Runner,
  options: StreamOptions,
  statement: Statement,
): AsyncGenerator<Row[]> {
  return askBatches(runner, options, { statement, stream: streamRows });
}

/** Streams each row as a JSON array. */
export function askTexts(
  runner: Runner,
  options: StreamOptions,
  statement: Statement,
): AsyncGenerator<string[]> {
  return askBatches(runner, options, { statement, stream: streamTexts });
}

type Streaming<Item> = {
  statement: Statement;
  stream(access: EngineAccess, statement: Statement): AsyncGenerator<Item[]>;
};

async function* askBatches<Item>(
  runner: Runner,
  options: StreamOptions,
  { statement, stream }: Streaming<Item>,
): AsyncGenerator<Item[]> {
  using _pass = await enterLine(runner, options);
  options.onPass?.();
  await runner.waitForWholeBatches(wholeBatchesMsMax, options.signal);
  const ask = () =>
    stream(runner.access, complete(runner, { ...options, seconds: unlimitedSeconds }, statement));
  let isBegun = false;
  try {
    for await (const items of ask()) {
      isBegun = true;
      yield items;
    }
  } catch (error) {
    // After the first rows, a retry would return them twice.
    if (!runner.blocks.noteFailure(runner.holder, error) || isBegun) throw error;
    yield* ask();
  }
}

/** Enters the line. Slow readers may hold all passes for exports, so waiting for one ends with an error after a while. */
function enterLine(runner: Runner, { weight, signal, line }: StreamOptions): Promise<Disposable> {
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

function complete(
  runner: Runner,
  options: RunOptions & { seconds: number },
  statement: Statement,
): Statement {
  return {
    ...statement,
    signal: options.signal,
    settings: {
      ...runner.settings,
      ...weightSettings[options.weight],
      max_execution_time: options.seconds,
      max_memory_usage: runner.memoryBytesMax,
      ...statement.settings,
      ...runner.blocks.settingsOf(runner.holder, runner.access),
    },
  };
}
