/** Tests tus-js-client from npm in Node.js, over connections cut at random and with a service that is killed meanwhile. */
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { after, test } from 'node:test';
import { requireNodeClients } from '../../../scripts/clients/installedClients.ts';
import { makeDirectory } from '../support/service.ts';
import { type ServiceProcess, startProcess } from '../support/tapedeck.ts';
import { makeSound, mediaEnvironment, mediaToken, type Uploaded } from '../support/uploading.ts';
import { startCuttingProxy } from './cuttingProxy.ts';

const require = await requireNodeClients();

/** The parts of the package that the tests use; its types are not installed. */
type TusRequest = { getMethod(): string; getHeader(name: string): string | undefined };
type TusResponse = { getStatus(): number; getHeader(name: string): string | undefined };
type Tus = {
  Upload: new (
    file: Buffer,
    options: {
      endpoint: string;
      headers: Record<string, string>;
      metadata: Record<string, string>;
      chunkSize: number;
      retryDelays: number[];
      uploadDataDuringCreation?: boolean;
      onBeforeRequest(request: TusRequest): void;
      onAfterResponse(request: TusRequest, response: TusResponse): void;
      onSuccess(payload: { lastResponse: TusResponse }): void;
      onError(error: Error): void;
    },
  ) => { start(): void };
};
// Typed by the parts described above.
const tus = require('tus-js-client') as Tus;

const mebibyte = 1024 * 1024;
const directory = await makeDirectory();
const environment = {
  ...mediaEnvironment,
  TAPEDECK_DATA_DIR: directory.path,
  TAPEDECK_FILE_SIZE_MAX: '4GiB',
  TAPEDECK_FAST_HTTP: process.env.TAPEDECK_FAST_HTTP,
};
let service: ServiceProcess = await startProcess(environment);
after(async () => {
  await service[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

async function killService(): Promise<void> {
  service.child.kill('SIGKILL');
  await service.exit;
  service = await startProcess(environment);
}

type Trouble = { chunkSize: number; cuts: number; kills: number; duringCreation?: boolean };

/** Uploads through trouble. The client must never resend acknowledged bytes. */
async function uploadThroughTrouble(file: Buffer, trouble: Trouble): Promise<Uploaded> {
  let { cuts, kills } = trouble;
  await using proxy = await startCuttingProxy({
    locate: () => service.url,
    nextCut: () =>
      cuts-- > 0 ? randomInt(1, Math.round((file.length * 2) / trouble.cuts)) : Number.POSITIVE_INFINITY,
    onCut: async () => {
      if (kills > 0 && cuts % 2 === 0) {
        kills -= 1;
        await killService();
      }
    },
  });
  let acknowledged = 0;
  const { promise, resolve, reject } = Promise.withResolvers<TusResponse>();
  new tus.Upload(file, {
    endpoint: `${proxy.url}/api/v3/file/resumable`,
    headers: { Authorization: mediaToken },
    metadata: { filename: 'long.wav', path: 'by tus' },
    chunkSize: trouble.chunkSize,
    retryDelays: Array(60).fill(300),
    uploadDataDuringCreation: trouble.duringCreation ?? false,
    onBeforeRequest: request => {
      if (request.getMethod() !== 'PATCH') return;
      const offset = Number(request.getHeader('Upload-Offset'));
      if (offset < acknowledged) reject(new Error(`${offset} is before ${acknowledged}`));
    },
    onAfterResponse: (_, response) => {
      const offset = Number(response.getHeader('Upload-Offset') ?? 0);
      if (offset < acknowledged && response.getStatus() < 300)
        reject(new Error(`${acknowledged} became ${offset}`));
      acknowledged = Math.max(acknowledged, offset);
    },
    onSuccess: ({ lastResponse }) => resolve(lastResponse),
    onError: reject,
  }).start();
  const response = await promise;
  assert.ok(proxy.cuts >= Math.min(trouble.cuts, 2), `${proxy.cuts} connections were cut`);
  const result = Buffer.from(response.getHeader('Upload-Result') ?? '', 'base64');
  // The shape of an upload result.
  return (JSON.parse(result.toString()) as { data: Uploaded }).data;
}

const rows: [title: string, mebibytes: number, trouble: Trouble][] = [
  ['in one request, interrupted ten times', 60, { chunkSize: Number.POSITIVE_INFINITY, cuts: 10, kills: 0 }],
  ['in one request, interrupted and killed', 120, { chunkSize: Number.POSITIVE_INFINITY, cuts: 6, kills: 2 }],
  ['in chunks, interrupted and killed', 60, { chunkSize: 5 * mebibyte, cuts: 6, kills: 2 }],
  ['with its creation', 10, { chunkSize: mebibyte, cuts: 5, kills: 0, duringCreation: true }],
];
for (const [title, mebibytes, trouble] of rows) {
  test(title, async () => {
    const file = Buffer.concat([makeSound(), randomBytes(mebibytes * mebibyte)]);
    const { url } = await uploadThroughTrouble(file, trouble);
    const read = await fetch(service.url + new URL(url).pathname);
    const bytes = Buffer.from(await read.arrayBuffer());
    const sum = (of: Buffer) => createHash('sha256').update(of).digest('hex');
    assert.equal(sum(bytes), sum(file));
  });
}
