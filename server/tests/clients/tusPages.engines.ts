/** Tests tus-js-client and Uppy in a browser, on a page of another site, over connections that are cut. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, test } from 'node:test';
import { chromium, type Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { installNodeClients } from '../../../scripts/clients/installedClients.ts';
import { findChromium } from '../../../scripts/testing/programs.ts';
import { startTestService } from '../support/service.ts';
import { makeSound, mediaEnvironment, mediaToken, readRecord, type Uploaded } from '../support/uploading.ts';
import { startCuttingProxy } from './cuttingProxy.ts';

await using opened = new AsyncDisposableStack();
const service = opened.use(await startTestService({ environment: mediaEnvironment }));
let cutsLeft = 0;
const proxy = opened.use(
  await startCuttingProxy({
    locate: () => service.url,
    nextCut: () => (cutsLeft > 0 ? 3_000_000 : Number.POSITIVE_INFINITY),
    onCut: async () => {
      cutsLeft -= 1;
    },
  }),
);
const script = await bundleClients();
const site = createServer((request, response) => {
  const isPage = request.url === '/';
  response.setHeader('content-type', isPage ? 'text/html' : 'text/javascript');
  response.end(isPage ? '<!doctype html><script src="/clients.js"></script>' : script);
}).listen(0, '127.0.0.1');
await once(site, 'listening');
opened.defer(() => void site.close());
const browser = await chromium.launch({ executablePath: findChromium()!, args: ['--no-sandbox'] });
opened.defer(() => browser.close());
const running = opened.move();
after(() => running.disposeAsync());

/** Bundles the clients as a page's build would. */
async function bundleClients(): Promise<string> {
  const place = await installNodeClients();
  const source = [
    "import * as tus from 'tus-js-client';",
    "import { Uppy } from '@uppy/core';",
    "import Tus from '@uppy/tus';",
    'Object.assign(globalThis, { tus, Uppy, UppyTus: Tus });',
  ].join('\n');
  const entry = path.join(place, 'page.js');
  const build = await rolldown({
    input: entry,
    platform: 'browser',
    plugins: [
      {
        name: 'page',
        resolveId: id => (id === entry ? id : null),
        load: id => (id === entry ? source : null),
      },
    ],
  });
  const { output } = await build.generate({ format: 'iife' });
  await build.close();
  return output[0].code;
}

async function openPage(): Promise<Page> {
  const page = await browser.newPage();
  const address = site.address();
  await page.goto(`http://localhost:${typeof address === 'object' ? address?.port : ''}/`);
  return page;
}

type UploadRequest = { endpoint: string; token: string; head: string; tail: number };
type Done = { sha256: string; result: string };

/** Runs in the page. */
async function uploadByTus({ endpoint, token, head, tail }: UploadRequest): Promise<Done> {
  const blob = new Blob([Uint8Array.from(atob(head), letter => letter.charCodeAt(0)), new Uint8Array(tail)]);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
  const sha256 = Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('');
  // The bundle sets these globals.
  const { tus } = globalThis as unknown as {
    tus: { Upload: new (file: Blob, options: object) => { start(): void } };
  };
  const result = await new Promise<string>((resolve, reject) => {
    new tus.Upload(blob, {
      endpoint,
      headers: token === '' ? {} : { Authorization: token },
      metadata: { filename: 'page.wav', filetype: 'audio/wav' },
      retryDelays: Array(20).fill(100),
      onError: reject,
      onSuccess: ({ lastResponse }: { lastResponse: { getHeader(name: string): string } }) =>
        resolve(atob(lastResponse.getHeader('Upload-Result'))),
    }).start();
  });
  return { sha256, result };
}

/** Runs in the page. */
async function uploadByUppy({ endpoint, token, head, tail }: UploadRequest): Promise<Done> {
  const blob = new Blob([Uint8Array.from(atob(head), letter => letter.charCodeAt(0)), new Uint8Array(tail)]);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
  const sha256 = Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('');
  type Uppy = {
    use(plugin: unknown, options: object): Uppy;
    addFile(file: object): void;
    upload(): Promise<{ successful: { uploadURL: string }[]; failed: { error: string }[] }>;
  };
  // The bundle sets these globals.
  const page = globalThis as unknown as { Uppy: new () => Uppy; UppyTus: unknown };
  const headers = { Authorization: token };
  const uppy = new page.Uppy().use(page.UppyTus, {
    endpoint,
    headers,
    chunkSize: 1_000_000,
    retryDelays: Array(20).fill(100),
  });
  uppy.addFile({ name: 'uppy.wav', type: 'audio/wav', data: blob });
  const { successful, failed } = await uppy.upload();
  if (successful[0] === undefined) throw new Error(failed[0]?.error);
  const answer = await fetch(`${successful[0].uploadURL}/result`, { headers });
  return { sha256, result: await answer.text() };
}

async function requireStored({ sha256, result }: Done, filename: string): Promise<void> {
  const { id } = (JSON.parse(result) as { data: Uploaded }).data; // an upload result
  assert.equal((await readRecord(service, id)).filename, filename);
  const file = await (await service.openStore()).files.find('default', id);
  assert.equal(file?.sha256, sha256);
}

const head = makeSound({ tone: 3 }).toString('base64');
const uploading: UploadRequest = {
  endpoint: `${proxy.url}/api/v3/file/resumable`,
  token: mediaToken,
  head,
  tail: 20_000_000,
};

test('tus-js-client, interrupted five times', async () => {
  cutsLeft = 5;
  const page = await openPage();
  await requireStored(await page.evaluate(uploadByTus, uploading), 'page.wav');
  assert.equal(cutsLeft, 0);
});

test('tus-js-client with a presigned URL, which needs no token', async () => {
  const headers = { authorization: mediaToken };
  const response = await service.fetch('/api/v3/file/presigned-url', { headers });
  const { data } = (await response.json()) as { data: { presignedUrl: string } }; // the contract's shape
  const endpoint = `${proxy.url}${new URL(data.presignedUrl).pathname}/resumable`;
  const page = await openPage();
  await requireStored(await page.evaluate(uploadByTus, { ...uploading, endpoint, token: '' }), 'page.wav');
});

test('Uppy, in chunks, interrupted five times', async () => {
  cutsLeft = 5;
  const page = await openPage();
  await requireStored(await page.evaluate(uploadByUppy, uploading), 'uppy.wav');
  assert.equal(cutsLeft, 0);
});
