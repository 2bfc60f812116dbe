/** Sends requests byte for byte as widely used clients write them, to test the responses. */
import assert from 'node:assert/strict';
import { composeForm, type FormWriter } from './multipartForms.ts';
import { compose, type RawAnswer, talk } from './rawHttp.ts';
import type { TestService } from './service.ts';

export type Headers = Readonly<Record<string, string | number>>;
type Json = { [key: string]: Json } & string;

/** Headers that HTTP clients add to every request to offer HTTP/2. */
export const hopesForHttp2: Headers = {
  Connection: 'Upgrade, HTTP2-Settings',
  Upgrade: 'h2c',
  'HTTP2-Settings': 'AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA',
};

export function makeSender(service: TestService) {
  /** Sends one request on a new connection. */
  async function send(
    requestLine: string,
    headers: Headers = {},
    body: string | Buffer = '',
  ): Promise<RawAnswer> {
    const bytes = Buffer.from(body);
    const length: Headers = bytes.length > 0 ? { 'Content-Length': bytes.length } : {};
    return answerTo(requestLine, [compose(requestLine, { ...headers, ...length }), bytes]);
  }

  /** Sends chunks, like clients that do not know the length in advance. */
  async function sendInChunks(
    requestLine: string,
    headers: Headers,
    body: string | Buffer,
  ): Promise<RawAnswer> {
    const bytes = Buffer.from(body);
    const half = bytes.length >> 1;
    const chunks = [bytes.subarray(0, half), bytes.subarray(half)].flatMap(chunk => [
      `${chunk.length.toString(16)}\r\n`,
      chunk,
      '\r\n',
    ]);
    const head = compose(requestLine, { ...headers, 'Transfer-Encoding': 'chunked' });
    return answerTo(requestLine, [head, ...chunks, '0\r\n\r\n']);
  }

  async function answerTo(requestLine: string, parts: readonly (string | Uint8Array)[]): Promise<RawAnswer> {
    const { answers } = await talk(service.url, parts, { answersMax: 1 });
    const [answer] = answers;
    assert.ok(answer, `${requestLine} gets a response`);
    return answer;
  }

  /** For clients that accept only a 200 with JSON. */
  async function take(requestLine: string, headers: Headers = {}, body: string | Buffer = ''): Promise<Json> {
    return readJson(await send(requestLine, headers, body));
  }

  /** Sends one file in a form and accepts only a 200 with JSON. */
  async function takeFile(requestLine: string, { headers = {}, ...form }: SentForm): Promise<Json> {
    const { contentType, body } = writeForm(form);
    return take(requestLine, { ...headers, 'Content-Type': contentType }, body);
  }

  return { send, sendInChunks, take, takeFile };
}

type SentForm = {
  headers?: Headers;
  by?: FormWriter;
  part: string;
  filename: string;
  fields?: Readonly<Record<string, string>>;
};

export function writeForm({ by = 'a browser', part, filename, fields }: SentForm) {
  return composeForm(by, { name: part, filename }, fields);
}

export function readJson({ status, body }: RawAnswer): Json {
  assert.equal(status, 200, body);
  return JSON.parse(body);
}
