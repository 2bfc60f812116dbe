/** Uploads gigabytes by tus over a connection that is cut repeatedly. Compares the stored file by its hash, and watches the service's memory. */
import { createCipheriv, createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type Bench, printTable } from './bench.ts';
import { token } from './benchRequests.ts';
import { type BenchService, startBenchService } from './processes.ts';
import { readProcessorTimes, readResidentMegabytes } from './processTimes.ts';

const mebibyte = 1024 ** 2;
const fileBytes = 3 * 1024 * mebibyte;
const cutsWanted = 50;
const pieceBytes = mebibyte;
const lookPauseMs = 200;
const lockedPauseMs = 100;
/** The cut request still writes: it holds the upload, or the offset has moved. */
const busy: readonly (number | undefined)[] = [409, 423];
const tus = { 'tus-resumable': '1.0.0', authorization: token };

export const uploadCuts: Bench = {
  name: 'upload-cuts',
  about: `one file of ${fileBytes / 1024 ** 3} GiB by tus, its connection cut ${cutsWanted} times`,
  run: async () => {
    await using service = await startBenchService(
      { TAPEDECK_MEDIA_TOKEN: token, TAPEDECK_FILE_SIZE_MAX: '4GiB' },
      null,
    );
    const before = await readResidentMegabytes(service.pid);
    const processorBefore = await readProcessorTimes(service.pid);
    let peak = before.service;
    let isOver = false;
    const watching = (async () => {
      for (; !isOver; await wait(lookPauseMs))
        peak = Math.max(peak, (await readResidentMegabytes(service.pid)).service);
    })();
    const startedAt = performance.now();
    const { url, cuts, sentBytes } = await upload(service);
    const seconds = (performance.now() - startedAt) / 1000;
    isOver = true;
    await watching;
    const processor = (await readProcessorTimes(service.pid)).service - processorBefore.service;
    const isSame = (await hashStored(url)) === hashFile();
    if (!isSame) throw new Error('What is stored is another file than what was sent.');
    printTable(
      ['cuts', 'seconds', 'sent again MiB', 's of processor', 'MB before', 'MB at most', 'hash'],
      [
        [
          String(cuts),
          seconds.toFixed(1),
          ((sentBytes - fileBytes) / mebibyte).toFixed(1),
          (processor / 1e6).toFixed(1),
          before.service.toFixed(0),
          peak.toFixed(0),
          'the same',
        ],
      ],
    );
  },
};

const key = Buffer.alloc(32, 1);
const blockBytes = 16;

/** Yields the head of an audio file, then bytes that look random but depend only on their position. */
function* listPieces(from: number): Generator<Buffer> {
  for (let at = from; at < fileBytes; ) {
    const start = at - (at % pieceBytes);
    const length = Math.min(pieceBytes, fileBytes - start);
    const counter = Buffer.alloc(blockBytes);
    counter.writeBigUInt64BE(BigInt(start / blockBytes), blockBytes - 8);
    const piece = createCipheriv('aes-256-ctr', key, counter).update(Buffer.alloc(length));
    if (start === 0) soundHead.copy(piece);
    yield piece.subarray(at - start);
    at = start + length;
  }
}

const sampleRate = 8000;
const soundHead = makeSoundHead();

function makeSoundHead(): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(fileBytes - 8, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  for (const [at, number] of [
    [16, 16],
    [24, sampleRate],
    [28, sampleRate],
    [40, fileBytes - head.length],
  ] as const)
    head.writeUInt32LE(number, at);
  for (const [at, number] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    head.writeUInt16LE(number, at);
  head.write('data', 36, 'latin1');
  return head;
}

function hashFile(): string {
  const hash = createHash('sha256');
  for (const piece of listPieces(0)) hash.update(piece);
  return hash.digest('hex');
}

async function hashStored(url: string): Promise<string> {
  const response = await fetch(url);
  if (response.body === null) throw new Error(`The file is answered with ${response.status}.`);
  const hash = createHash('sha256');
  for await (const piece of response.body) hash.update(piece);
  return hash.digest('hex');
}

type Uploaded = { url: string; cuts: number; sentBytes: number };

async function upload(service: BenchService): Promise<Uploaded> {
  const base = `http://127.0.0.1:${service.port}`;
  const created = await fetch(`${base}/api/v3/file/resumable`, {
    method: 'POST',
    headers: {
      ...tus,
      'upload-length': String(fileBytes),
      'upload-metadata': `filename ${btoa('long.wav')}`,
    },
  });
  const place = new URL(created.headers.get('location') ?? '', base);
  if (created.status !== 201) throw new Error(`${created.status}: ${await created.text()}`);
  let cuts = 0;
  let sentBytes = 0;
  for (let offset = 0; ; offset = await askOffset(place)) {
    const cutAfter = cuts < cutsWanted ? randomInt(1, Math.round((2 * fileBytes) / cutsWanted)) : fileBytes;
    const sent = await send(place, offset, cutAfter);
    sentBytes += sent.bytes;
    if (sent.result !== null) return { url: base + new URL(sent.result).pathname, cuts, sentBytes };
    if (sent.isCut) cuts++;
    else await wait(lockedPauseMs);
  }
}

async function askOffset(place: URL): Promise<number> {
  const response = await fetch(place, { method: 'HEAD', headers: tus });
  const offset = Number(response.headers.get('upload-offset') ?? Number.NaN);
  if (!Number.isSafeInteger(offset))
    throw new Error(`The place of the upload is answered with ${response.status}.`);
  return offset;
}

/** `result` is the URL once the file is complete. */
type Sent = { bytes: number; isCut: boolean; result: string | null };

/** Sends from the offset to the end of the file, or until it is time to cut the connection. */
async function send(place: URL, offset: number, cutAfter: number): Promise<Sent> {
  const headers = {
    ...tus,
    'content-type': 'application/offset+octet-stream',
    'upload-offset': String(offset),
    'content-length': String(fileBytes - offset),
  };
  const sending = request(place, { method: 'PATCH', headers });
  sending.on('error', () => {}); // the cut is intended; a refusal is an answer
  let answer: IncomingMessage | null = null;
  const answered = new Promise<void>(resolve => {
    sending.once('close', resolve).once('response', response => {
      answer = response.resume();
      resolve();
    });
  });
  let bytes = 0;
  for (const piece of listPieces(offset)) {
    if (answer !== null) break;
    const part = piece.subarray(0, cutAfter - bytes);
    bytes += part.length;
    await Promise.race([write(sending, part), answered]);
    if (bytes < cutAfter || bytes === fileBytes - offset) continue;
    sending.destroy();
    return { bytes, isCut: true, result: null };
  }
  sending.end();
  await answered;
  return { bytes, isCut: false, result: readResult(answer) };
}

/** Returns null while another request holds the upload. */
function readResult(answer: IncomingMessage | null): string | null {
  if (busy.includes(answer?.statusCode)) return null;
  const result = answer?.headers['upload-result'];
  if (typeof result !== 'string') throw new Error(`The last piece is answered with ${answer?.statusCode}.`);
  // The shape of an upload result.
  const { data } = JSON.parse(Buffer.from(result, 'base64').toString()) as { data: { url: string } };
  return data.url;
}

async function write(sending: ClientRequest, piece: Buffer): Promise<void> {
  if (sending.destroyed || sending.write(piece)) return;
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(sending, 'drain', { signal }), once(sending, 'close', { signal })]);
  waiting.abort();
}
