/**
 * Feeds a body to a form parser. A chunk may hold thousands of tiny parts, and the parser takes tenths of a second for them, even beyond its limits. So
 * it gets such a chunk in slices, and no more slices once the form has failed.
 */
import type { Readable, Writable } from 'node:stream';

const mark = Buffer.from('\r\n--'); // each boundary begins with it, and few files have many
const marksMax = 16;
const sliceBytes = 2 * 1024; // some hundred parts: a few milliseconds

/** Ends the parser with the body. Returns a function that stops feeding it; the caller pauses the body. */
export function feedForm(body: Readable, parser: Writable): () => void {
  let isStopped = false;
  const goOn = () => {
    if (!isStopped) body.resume();
  };
  const take = (chunk: Buffer) => {
    let hasRoom = true;
    for (const slice of cutChunk(chunk)) {
      if (isStopped) return;
      hasRoom = parser.write(slice);
    }
    if (hasRoom || isStopped) return;
    body.pause();
    parser.once('drain', goOn);
  };
  const end = () => parser.end();
  body.on('data', take);
  if (body.readableEnded) process.nextTick(() => isStopped || end());
  else body.once('end', end);
  return () => {
    isStopped = true;
    body.off('data', take).off('end', end);
  };
}

function* cutChunk(chunk: Buffer): Generator<Buffer> {
  if (!isCrowded(chunk)) yield chunk;
  else for (let at = 0; at < chunk.length; at += sliceBytes) yield chunk.subarray(at, at + sliceBytes);
}

function isCrowded(chunk: Buffer): boolean {
  let marks = 0;
  for (let at = chunk.indexOf(mark); at !== -1; at = chunk.indexOf(mark, at + mark.length))
    if (++marks > marksMax) return true;
  return false;
}
