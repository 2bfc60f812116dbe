/** Compares uploads with a bare server and reads with nginx, and measures many large uploads at once. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { type Bench, median, printTable } from './bench.ts';
import { token } from './benchRequests.ts';
import { startNginx } from './nginx.ts';
import { readReadyPort, runLoadProcess, spawnOnCore, startBenchService } from './processes.ts';

const seconds = 4;
const rounds = 3;
const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

export const files: Bench = {
  name: 'files',
  about: 'uploads, reading and memory, each against a floor of the same run',
  run: async () => {
    await measureUploads();
    await measureReading();
    await measureMemory();
  },
};

/** Makes a small picture and pads it to the size; the service keeps bytes after its end. */
export function makePicture(sizeBytes: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const picture = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from([0, 0]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return Buffer.concat([picture, Buffer.alloc(sizeBytes - picture.length, 'tape')]);
}

export function composeUpload(bytes: Buffer, authorization = token): string {
  const boundary = 'tapedeckbench';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="bench.png"\r\nContent-Type: image/png\r\n\r\n`;
  const body = `${head}${bytes.toString('latin1')}\r\n--${boundary}--\r\n`;
  const lines = [
    'POST /api/v3/file HTTP/1.1',
    'Host: localhost',
    `Authorization: ${authorization}`,
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    `Content-Length: ${body.length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

async function measureUploads(): Promise<void> {
  await using service = await startBenchService({ TAPEDECK_MEDIA_TOKEN: token });
  await using floor = await startFloor();
  const rows: string[][] = [];
  for (const [name, sizeBytes, target] of [
    ['100 KB', 100_000, 60],
    ['1 MB', 1_000_000, 70],
  ] as const) {
    const load = { connections: 32, seconds, requests: [composeUpload(makePicture(sizeBytes))] };
    const rates = { floor: [] as number[], service: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      rates.floor.push(await measureRate({ ...load, port: floor.port }));
      rates.service.push(await measureRate({ ...load, port: service.port }));
    }
    rows.push([name, ...describeRates(median(rates.service), median(rates.floor)), `${target} %`]);
  }
  printTable(['upload', 'uploads/s', 'floor/s', 'of the floor', 'target'], rows);
}

async function startFloor(): Promise<AsyncDisposable & { port: number }> {
  const child = spawnOnCore(0, [path.join(import.meta.dirname, 'uploadFloor.ts')], {});
  const port = await readReadyPort(child);
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      const closed = once(child, 'exit');
      child.kill('SIGTERM');
      await closed;
    },
  };
}

async function measureReading(): Promise<void> {
  await using service = await startBenchService({ TAPEDECK_MEDIA_TOKEN: token });
  const contents = { '20 KB': makePicture(20_000), '1 MB': makePicture(1_000_000) };
  await using nginx = await startNginx({ 'small.png': contents['20 KB'], 'large.png': contents['1 MB'] });
  const rows: string[][] = [];
  for (const [name, file, target] of [
    ['20 KB', 'small.png', '50 %'],
    ['1 MB', 'large.png', '100 %'],
  ] as const) {
    const { path: at, etag } = await uploadOne(service.port, contents[name]);
    const rates = { nginx: [] as number[], service: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      if (nginx) rates.nginx.push(await measureRate(composeGet(nginx.port, `/${file}`)));
      rates.service.push(await measureRate(composeGet(service.port, at)));
    }
    rows.push([`GET ${name}`, ...describeRates(median(rates.service), median(rates.nginx)), target]);
    if (name === '20 KB') {
      const rate = await measureRate(composeGet(service.port, at, `If-None-Match: ${etag}\r\n`), '304');
      rows.push(['304', rate.toFixed(0), '', '', '15000/s']);
    }
  }
  printTable(['reading', 'requests/s', 'nginx/s', 'of nginx', 'target'], rows);
}

function composeGet(port: number, at: string, more = '') {
  return {
    port,
    connections: 32,
    seconds,
    requests: [`GET ${at} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`],
  };
}

async function uploadOne(port: number, bytes: Buffer): Promise<{ path: string; etag: string }> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), 'bench.png');
  const headers = { authorization: token };
  const response = await fetch(`http://127.0.0.1:${port}/api/v3/file`, {
    method: 'POST',
    body: form,
    headers,
  });
  // An upload's answer, per the contract.
  const { data } = (await response.json()) as { data: { url: string } };
  const { pathname } = new URL(data.url);
  const read = await fetch(`http://127.0.0.1:${port}${pathname}`, { method: 'HEAD' });
  return { path: pathname, etag: read.headers.get('etag') ?? '' };
}

const uploadsAtOnce = 200;
const memoryTargetMb = 350;

/** Sends every fourth file in base64. */
async function measureMemory(): Promise<void> {
  await using service = await startBenchService({ TAPEDECK_MEDIA_TOKEN: token }, null);
  const bytes = makePicture(32 * mebibyte);
  const form = Buffer.from(composeUpload(bytes), 'latin1');
  const json = Buffer.from(`{"base64":"${bytes.toString('base64')}"}`);
  const head = `POST /api/v3/file/base64 HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n`;
  const base64 = Buffer.concat([Buffer.from(head), json]);
  const startedAt = performance.now();
  const statuses = await Promise.all(
    Array.from({ length: uploadsAtOnce }, (_, index) =>
      sendOnce(service.port, index % 4 === 0 ? base64 : form),
    ),
  );
  const tookMs = performance.now() - startedAt;
  const stored = statuses.filter(status => status === '200').length;
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1];
  const cells = [
    String(stored),
    (tookMs / 1000).toFixed(1),
    (Number(peak) / 1024).toFixed(0),
    `${memoryTargetMb}`,
  ];
  printTable(['of 200 uploads of 32 MiB stored', 'seconds', 'peak resident MB', 'target'], [cells]);
}

async function sendOnce(port: number, request: Buffer): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  const answer = once(socket, 'data');
  socket.write(request);
  const [bytes] = (await answer) as [Buffer]; // the event's arguments
  socket.destroy();
  return bytes.toString('latin1', 9, 12);
}

async function measureRate(load: Parameters<typeof runLoadProcess>[0], status = '200'): Promise<number> {
  const result = await runLoadProcess(load);
  if (Object.keys(result.statuses).join() !== status)
    throw new Error(`Answers: ${JSON.stringify(result.statuses)}`);
  return result.requestsPerSecond;
}

function describeRates(rate: number, floor: number): string[] {
  return [
    rate.toFixed(0),
    floor.toFixed(0),
    floor > 0 ? `${((100 * rate) / floor).toFixed(0)} %` : 'no nginx',
  ];
}
