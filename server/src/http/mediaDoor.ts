/**
 * The short ways to media: a file that was read a moment ago and is held in memory is answered before the router sees the
 * request, on connections that Node.js's server has and on those that it has not.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { joinLines } from './answerHeaders.ts';
import { namesOneHost } from './hostHeader.ts';
import type { HotAnswer, HotMedia, ReadingRequest } from './hotMedia.ts';
import type { PlainAnswer, PlainDoor } from './plainConnections.ts';

/** Whether it answered. */
export type MediaDoor = (request: IncomingMessage, response: ServerResponse) => boolean;

export function openMediaDoor(media: HotMedia): MediaDoor {
  return (request, response) => {
    const answer = isPlain(request) ? media.answer(request) : null;
    if (answer === null) return false;
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

export function openPlainMediaDoor(media: HotMedia): PlainDoor['answer'] {
  return request => {
    const answer = media.answer(request);
    if (answer !== null) return spell(answer);
    const warmed = media.warm(request);
    return warmed && answerWarmed(media, request, warmed);
  };
}

async function answerWarmed(
  media: HotMedia,
  request: ReadingRequest,
  warmed: Promise<boolean>,
): Promise<PlainAnswer | null> {
  const answer = (await warmed) ? media.answer(request) : null;
  return answer && spell(answer);
}

function spell({ status, usual, more, body }: HotAnswer): PlainAnswer {
  return { status, head: usual.text + joinLines(more), body };
}
