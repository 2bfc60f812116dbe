/**
 * The short ways to media: a file that was read a moment ago and is held in memory is answered before the router sees the
 * request, on connections that Node.js's server has and on those that it has not.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure } from '@tapedeck/failures';
import type { PlainAnswer, PlainDoor, PlainRequest } from '@tapedeck/fast-http';
import type { Logger } from 'pino';
import { joinLines } from '../answerHeaders.ts';
import { composeRefusal, spellAnswer } from '../connection/bareAnswers.ts';
import { namesOneHost } from '../connection/hostHeader.ts';
import type { Metrics } from '../metrics.ts';
import { chooseRequestId } from '../requestIds.ts';
import { type HotAnswer, type HotMedia, mediaRoute } from './hotMedia.ts';

/** Returns whether it answered. */
export type MediaDoor = (request: IncomingMessage, response: ServerResponse) => boolean;

export function openMediaDoor(media: HotMedia): MediaDoor {
  return (request, response) => {
    const answer = isPlain(request) ? media.answer(request) : null;
    if (answer === null) return false;
    if (answer.onSent) response.once('close', answer.onSent);
    response.writeHead(answer.status, [...answer.usual.lines, ...answer.more]);
    response.end(answer.body);
    return true;
  };
}

/** HTTP/1.1 with one Host and no body. */
function isPlain(request: IncomingMessage): boolean {
  const { method, headers, httpVersion } = request;
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (httpVersion !== '1.1' || 'content-length' in headers || 'transfer-encoding' in headers) return false;
  return namesOneHost(request);
}

export function openPlainMediaDoor(media: HotMedia, watch: Watch): PlainDoor['answer'] {
  return request => {
    const answer = media.answer(request);
    if (answer !== null) return spell(answer);
    const promised = media.answerSoon(request);
    return promised && spellSoon(watch, request, promised);
  };
}

/** Where failures are reported. */
type Watch = { log: Logger; metrics: Metrics };

/** Answers a failed read with its error, so that the router does not try the same read again. */
async function spellSoon(
  { log, metrics }: Watch,
  request: PlainRequest,
  promised: Promise<HotAnswer | null>,
): Promise<PlainAnswer | null> {
  const startedAt = performance.now();
  try {
    const answer = await promised;
    return answer && spell(answer);
  } catch (error) {
    if (request.method !== 'GET' || !(error instanceof Failure)) throw error;
    const requestId = chooseRequestId(request);
    const refusal = composeRefusal(log, error, { requestId, route: mediaRoute });
    const noted = { method: 'GET', route: mediaRoute, status: refusal.status };
    metrics.note(noted, performance.now() - startedAt);
    return spellAnswer(refusal, requestId);
  }
}

function spell({ status, usual, more, body, onSent }: HotAnswer): PlainAnswer {
  return { status, head: usual.text + joinLines(more), body, ...(onSent && { onSent }) };
}
