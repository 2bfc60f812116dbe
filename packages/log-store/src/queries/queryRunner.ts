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
import { Blocks } from './blockSizes.ts';
import { commonSettings, type Weight, weightSettings } from './querySettings.ts';

export const logQueryTimeMsMax = 30_000; // CONTRACT.md, 4.2
const wholeBatchesMsMax = 5_000; // an insert that takes longer is in trouble

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
  /** Resolves once a query sees whole batches only. */
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

const unlimitedSeconds = 0;

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
export async function runQuery(
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
        if (runner.blocks.recordFailure(holder, error)) return ask();
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

type Waiting<Answer> = { answer: Promise<Answer>; leaving: AbortController; askers: number };

/**
 * Lets equal statements in line share one result: later callers join while the first still waits. Before a caller gets in
 * line, everything that it must find is visible. The statement is sent after that, so its result is valid for all of them.
 */
export class SharedWaiting<Answer> {
  readonly #waiting = new Map<string, Waiting<Answer>>();

  /**
   * `ask` must call `begin` just before it sends the statement; from then on, no caller joins. Its signal aborts once every caller has left.
   * All callers get the same result, so they must not change it.
   */
  async ask(
    key: string,
    signal: AbortSignal,
    ask: (signal: AbortSignal, begin: () => void) => Promise<Answer>,
  ): Promise<Answer> {
    signal.throwIfAborted();
    const waiting = this.#waiting.get(key) ?? this.#open(key, ask);
    waiting.askers++;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => {
      if (--waiting.askers === 0) {
        this.#close(key, waiting);
        waiting.leaving.abort(signal.reason);
      }
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave);
    try {
      return await Promise.race([waiting.answer, left]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #open(key: string, ask: (signal: AbortSignal, begin: () => void) => Promise<Answer>): Waiting<Answer> {
    const leaving = new AbortController();
    const begin = () => this.#close(key, waiting);
    const answer = Promise.resolve()
      .then(() => ask(leaving.signal, begin))
      .finally(begin);
    answer.catch(() => {}); // callers get the error, unless all have left
    const waiting: Waiting<Answer> = { answer, leaving, askers: 0 };
    this.#waiting.set(key, waiting);
    return waiting;
  }

  #close(key: string, waiting: Waiting<Answer>): void {
    if (this.#waiting.get(key) === waiting) this.#waiting.delete(key);
  }
}

/** Streams rows without a time limit. */
export function queryStream(
  runner: Runner,
  options: StreamOptions,
  statement: Statement,
): AsyncGenerator<Row[]> {
  return queryBatches(runner, options, { statement, stream: streamRows });
}

/** Streams each row as a JSON array. */
export function queryTexts(
  runner: Runner,
  options: StreamOptions,
  statement: Statement,
): AsyncGenerator<string[]> {
  return queryBatches(runner, options, { statement, stream: streamTexts });
}

type Streaming<Item> = {
  statement: Statement;
  stream(access: EngineAccess, statement: Statement): AsyncGenerator<Item[]>;
};

async function* queryBatches<Item>(
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
    if (!runner.blocks.recordFailure(runner.holder, error) || isBegun) throw error;
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
