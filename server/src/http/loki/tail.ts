/** Follows lines through a WebSocket: first sends those of the last hour, then new ones. */
import { TimeSlices } from '@tapedeck/concurrency/turns';
import type { LogTails } from '@tapedeck/domain/logs/tails/tails';
import type { LogFilter } from '@tapedeck/domain/ports/logQueries';
import { invalidFieldError } from '@tapedeck/domain/vocabulary';
import { type LogQuery, LogqlMistake, parseLogql } from '@tapedeck/logql';
import { findLines, planTail, TailEvaluation } from '@tapedeck/loki-queries';
import type { WebSocket } from 'ws';
import { type CallerDeps, watchAccess } from '../authentication.ts';
import { acceptWebSocket } from '../connection/webSockets.ts';
import { type QueryParameters, readSingle } from '../queryParameters.ts';
import { LineSender } from './lineSender.ts';
import {
  composeScope,
  readLimit,
  readSpan,
  readTime,
  readWhole,
  requireText,
  type TimeSpan,
} from './parameters.ts';
import { type LokiCall, type LokiRouteDeps, wantsCategories } from './queries.ts';
import { SentLines } from './sentLines.ts';
import { cutWhenStalled } from './stalledTails.ts';

export type LokiTailDeps = LokiRouteDeps & CallerDeps & { tails: LogTails; readingPauseMsMax: number };

const waitingEntriesMax = 2_000; // per follower; with more it reads separately, behind the others
const waitingCharactersMax = 256 * 1024; // an entry may have 64 KiB, and a project a thousand followers that read nothing
const reasonBytesMax = 123; // RFC 6455, 5.5
const delaySecondsMax = 5; // Loki's
const goingAway = 1001;
const refused = 1008;
const failed = 1011;

const slices = new TimeSlices(); // a thousand clients may leave at once

type Following = { query: LogQuery; scope: LogFilter; isCategorized: boolean };

export async function respondTail(deps: LokiTailDeps, call: LokiCall): Promise<void> {
  const { parameters, request, reply, caller } = call;
  const query = parseLogql(requireText(parameters, 'query'));
  if (query.kind !== 'log') throw new LogqlMistake('only log selector is supported');
  const scope = composeScope(request, caller, readStart(parameters, deps.clock.micros()));
  const limit = readLimit(parameters);
  requireShortDelay(parameters);
  const following = { query, scope, isCategorized: wantsCategories(request) };
  const socket = await acceptWebSocket(request.raw);
  reply.hijack();
  const gone = new AbortController();
  const leave = () => slices.run(() => gone.abort());
  socket.once('close', leave).on('error', leave);
  const watch = watchAccess(deps, request, () => gone.abort());
  using _reading = cutWhenStalled(socket, deps.readingPauseMsMax);
  try {
    await follow(deps, socket, { ...following, limit, signal: gone.signal });
    if (gone.signal.aborted) socket.close(refused, 'The token may no longer read these entries.');
    else socket.close(goingAway, 'The service is stopping; follow again in a moment.');
  } catch (error) {
    socket.close(failed, cutReason(error instanceof Error ? error.message : 'The tail ended.'));
  } finally {
    clearInterval(watch);
  }
}

/** Starts now if the client's clock is ahead. */
function readStart(parameters: QueryParameters, nowMicros: number): TimeSpan {
  const startMicros = readTime(parameters, 'start');
  if (startMicros !== null && startMicros > nowMicros)
    return { startMicros: nowMicros, endMicros: nowMicros };
  return readSpan(parameters, nowMicros);
}

/** Cuts between characters. */
function cutReason(sentence: string): string {
  const { read } = new TextEncoder().encodeInto(sentence, new Uint8Array(reasonBytesMax));
  return sentence.slice(0, read);
}

/** Refuses the delays that Loki refuses. Entries arrive in order here, so nothing else waits for slower ones. */
function requireShortDelay(parameters: QueryParameters): void {
  const text = readSingle(parameters, 'delay_for') ?? '';
  if (text === '') return;
  if (readWhole('delay_for', text) > delaySecondsMax)
    throw invalidFieldError('delay_for', `delay_for can't be greater than ${delaySecondsMax}`);
}

type Asked = Following & { limit: number; signal: AbortSignal };

async function follow(deps: LokiTailDeps, socket: WebSocket, asked: Asked): Promise<void> {
  const { query, scope, isCategorized, signal } = asked;
  const { memory } = deps.tails;
  const plan = await planTail(query, scope);
  const evaluation = new TailEvaluation(deps, plan.query, {
    project: scope.project,
    waitingEntriesMax,
    waitingCharactersMax,
    memory,
    signal,
  });
  const sender = new LineSender(socket, { memory, isCategorized, signal });
  using _held = memory.add({
    countWaiting: () => evaluation.waitingCharacters,
    countUnsent: () => sender.heldBytes,
    stalledSince: () => sender.stalledSince,
    end: () => socket.terminate(),
  });
  const begun = Promise.withResolvers<void>();
  // Earlier lines are sent first, while new ones wait.
  const sendBefore = async () => {
    const before = await readBefore(deps, asked);
    sender.hold(before);
    const sent = new SentLines();
    await sent.remember(before);
    await sender.send(before.reverse());
    return sent;
  };
  const told = begun.promise.then(async () => {
    const known = await sendBefore();
    for await (const lines of evaluation.portions()) {
      await sender.send(await known.selectNew(lines));
    }
  });
  const tailing = deps.tails.follow({
    filter: plan.filter,
    after: null,
    signal,
    onBegin: () => begun.resolve(),
    take: arrived => evaluation.take(arrived.map(({ entry }) => entry)),
    hasRoom: () => evaluation.hasRoom,
    untilRoom: () => evaluation.untilRoom(),
  });
  try {
    await Promise.race([tailing, told]);
  } finally {
    evaluation.end();
    begun.resolve();
    told.catch(() => {}); // it ends with the tail
  }
}

/** The search has no end time: it would lie before the tail began. */
async function readBefore(deps: LokiTailDeps, { query, scope, limit, signal }: Asked) {
  using _reading = await deps.tails.memory.enter(scope.project, signal);
  using held = deps.lineBudget.open(scope.project);
  const there = { query, scope: { ...scope, toMicros: null }, limit, intervalMicros: 0, held };
  return await findLines(deps, { ...there, order: 'desc' }, signal);
}
