/** Speaks tus to a service step by step, as its clients do. */
import assert from 'node:assert/strict';
import { describeRefusal } from './client.ts';
import type { TestService } from './service.ts';
import { listTraces, mediaToken, type Uploaded } from './uploading.ts';

export const resumableRoute = '/api/v3/file/resumable';
export const chunkType = 'application/offset+octet-stream';

type Headers = Readonly<Record<string, string>>;

type BytesRequest = { method: string; at: string; headers: Headers };

export type TusClient = {
  /** Sends any request with the protocol's headers, without those set to `''`. */
  send(method: string, at: string, headers?: Headers): Promise<Response>;
  sendBytes(request: BytesRequest, bytes: Uint8Array): Promise<Response>;
  /** Resolves to the upload's location. */
  begin(lengthBytes: number, metadata?: Headers): Promise<string>;
  append(at: string, offset: number, bytes: Uint8Array): Promise<Response>;
  appendWith(headers: Headers, ...sent: [at: string, offset: number, bytes: Uint8Array]): Promise<Response>;
  /** Resolves to the number of bytes stored. */
  look(at: string): Promise<number>;
  result(at: string): Promise<Response>;
};

export function writeMetadata(metadata: Headers): string {
  return Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`.trim())
    .join(',');
}

type Way = { token?: string; route?: string };

export function speakTus(
  service: Pick<TestService, 'url' | 'fetch'>,
  { token = mediaToken, route = resumableRoute }: Way = {},
): TusClient {
  const usual = { authorization: token, 'tus-resumable': '1.0.0' };
  const ask = ({ method, at, headers }: BytesRequest, init: RequestInit) => {
    const sent = Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== '');
    return service.fetch(at, { method, headers: Object.fromEntries(sent), ...init });
  };
  const send: TusClient['send'] = (method, at, headers = {}) => ask({ method, at, headers }, {});
  const sendBytes: TusClient['sendBytes'] = (request, bytes) => ask(request, { body: new Uint8Array(bytes) });
  const appendWith: TusClient['appendWith'] = (headers, ...[at, offset, bytes]) => {
    const place = { 'content-type': chunkType, 'upload-offset': String(offset) };
    return sendBytes({ method: 'PATCH', at, headers: { ...place, ...headers } }, bytes);
  };
  return {
    send,
    sendBytes,
    appendWith,
    begin: async (lengthBytes, metadata = {}) => {
      const response = await send('POST', route, {
        'upload-length': String(lengthBytes),
        'upload-metadata': writeMetadata(metadata),
      });
      assert.equal(response.status, 201, await response.text());
      return locationOf(response);
    },
    append: (...sent) => appendWith({}, ...sent),
    look: async at => {
      const response = await send('HEAD', at);
      assert.equal(response.status, 200, String(response.headers.get('x-error-code')));
      return Number(response.headers.get('upload-offset'));
    },
    result: at => send('GET', `${at}/result`),
  };
}

/** Returns the upload's path. */
export function locationOf(response: Response): string {
  const { pathname, search } = new URL(response.headers.get('location') ?? '');
  return pathname + search;
}

/** Reads the upload result from the response's header. */
export async function resultOf(response: Response): Promise<Uploaded> {
  assert.ok(response.status < 300, response.status < 300 ? '' : await describeRefusal(response));
  const header = response.headers.get('upload-result');
  assert.ok(header, 'the last response has the result');
  // The shape of an upload result; callers check the parts they use.
  const { data, status } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    data: Uploaded;
    status: string;
  };
  assert.equal(status, 'ok');
  return data;
}

/** Returns `404 not_found`; responses to HEAD carry it in a header. */
export async function refusalOf(response: Response): Promise<string> {
  const code = response.headers.get('x-error-code');
  return code === null ? await describeRefusal(response) : `${response.status} ${code}`;
}

/** Returns the names of uploads with bytes on disk. */
export async function listPartials(service: TestService): Promise<(string | undefined)[]> {
  const { blobs } = await listTraces(service);
  return blobs.filter(at => at.includes('/partial/')).map(at => at.split('/').at(-1));
}

/** Fails unless the upload at that address and all its bytes are gone. */
export async function requireGone(service: TestService, client: TusClient, at: string): Promise<void> {
  assert.equal(await refusalOf(await client.send('HEAD', at)), '404 not_found');
  assert.ok(!(await listPartials(service)).includes(at.split('/').at(-1)));
}
