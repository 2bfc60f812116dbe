/** Answers queries for lines, newest or oldest first, up to a limit. */

import { takeTurns } from '@tapedeck/concurrency/turns';
import type { LogEntry, LogFilter, LogOrder } from '@tapedeck/log-entries';
import type { LogQueries } from '@tapedeck/log-store';
import type { LogQuery } from '@tapedeck/logql';
import type { EvaluatedLine } from './evaluationProtocol.ts';
import type { EvaluationThreads } from './evaluationThreads.ts';
import { LokiFailure } from './failure.ts';
import { openLabelFields } from './labelFields.ts';
import type { HeldLines, LineBudget } from './lineBudget.ts';
import { packTexts, toLine } from './lineLabels.ts';
import { narrow, planStages } from './stagePlans.ts';

export type LokiDeps = {
  logQueries: LogQueries;
  evaluationThreads: EvaluationThreads;
  lineBudget: LineBudget;
};

type LinesQuestion = {
  query: LogQuery;
  /** The project and the time range. */
  scope: LogFilter;
  order: LogOrder;
  limit: number;
  /** The minimum time between two lines; 0: none. */
  intervalMicros: number;
  /** Gets every line. The caller disposes of it when it has written the answer. */
  held: HeldLines;
};

const evaluationTimeMsMax = 30_000; // CONTRACT.md, 4.2

const pageLinesMax = 1_000; // of at most 64 KiB each; larger answers need several pages

export async function findLines(
  deps: LokiDeps,
  question: LinesQuestion,
  signal: AbortSignal,
): Promise<EvaluatedLine[]> {
  const { query, scope, order, limit, intervalMicros, held } = question;
  if (limit === 0) return [];
  const plan = await planStages(query, openLabelFields(deps, scope, signal));
  const filter = { ...scope, condition: narrow(plan.condition, plan) };
  const isNumeric = plan.numbers.length === 0; // other values pass the filter, with an error label
  if (plan.isWhole && isNumeric && intervalMicros === 0 && limit <= pageLinesMax) {
    const page = { order, limit, offset: 0, after: null };
    const { entries, unread } = await deps.logQueries.findEntries(filter, page, signal);
    return listOwn(deps.logQueries.streamListed(scope.project, [...entries, ...unread], signal), held);
  }
  return evaluateLines(
    deps,
    { ...question, scope: isNumeric ? filter : { ...filter, condition: narrow(plan.wider, plan) } },
    signal,
  );
}

/** In turns, because an entry may have hundreds of labels. */
async function listOwn(entries: AsyncIterable<LogEntry | null>, held: HeldLines): Promise<EvaluatedLine[]> {
  const takeTurn = takeTurns(1);
  const lines: EvaluatedLine[] = [];
  for await (const entry of entries) {
    if (entry === null) continue; // deleted meanwhile
    const { micros, text, stream, metadata } = toLine(entry);
    const line = { micros, text, stream, metadata, parsed: [] };
    held.add(line);
    lines.push(line);
    const turn = takeTurn();
    if (turn !== null) await turn;
  }
  return lines;
}

/** Evaluates entries in order until it has enough lines. */
async function evaluateLines(
  deps: LokiDeps,
  { query, scope, order, limit, intervalMicros, held }: LinesQuestion,
  signal: AbortSignal,
): Promise<EvaluatedLine[]> {
  const bounded = boundTime(signal);
  using thread = await deps.evaluationThreads.enter(scope.project, bounded);
  await thread.ask({ kind: 'open', task: { kind: 'lines', query } });
  const found: EvaluatedLine[] = [];
  for await (const portion of streamPortions(deps, { scope, order }, bounded)) {
    const answer = await thread.ask({ kind: 'lines', packed: portion });
    if (answer.kind !== 'lines') throw new Error('lines were asked for');
    for (const line of answer.lines) {
      const last = found.at(-1);
      if (last !== undefined && Math.abs(line.micros - last.micros) < intervalMicros) continue;
      held.add(line);
      if (found.push(line) >= limit) return found;
    }
  }
  return found;
}

const portionEntries = 2_000; // a thread needs about ten milliseconds for them
export const portionCharactersMax = 1024 * 1024; // unless a single entry has more

/** Streams entries, packed in portions that a thread evaluates quickly. */
export async function* streamPortions(
  { logQueries }: Pick<LokiDeps, 'logQueries'>,
  { scope, order }: { scope: LogFilter; order: LogOrder },
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const texts of logQueries.streamEntryTexts(scope, { order, after: null }, signal))
    for (const portion of divide(texts)) yield packTexts(portion);
}

/** Counts characters too, because taking over lines with hundreds of labels would block this thread. */
function* divide(texts: readonly string[]): Generator<string[]> {
  let portion: string[] = [];
  let characters = 0;
  for (const text of texts) {
    const isFull = portion.length === portionEntries || characters + text.length > portionCharactersMax;
    if (isFull && portion.length > 0) {
      yield portion;
      portion = [];
      characters = 0;
    }
    portion.push(text);
    characters += text.length;
  }
  if (portion.length > 0) yield portion;
}

/** Aborts the query after the time limit. */
export function boundTime(signal: AbortSignal): AbortSignal {
  const deadline = new AbortController();
  setTimeout(() => {
    const sentence = 'The query would take longer than 30 seconds. Narrow it down, preferably by time.';
    deadline.abort(new LokiFailure('query_timeout', sentence));
  }, evaluationTimeMsMax).unref();
  return AbortSignal.any([signal, deadline.signal]);
}
