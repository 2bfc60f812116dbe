/** Requests as they go over the wire, written as clients in the field write them. */
import assert from 'node:assert/strict';
import { compose, type RawAnswer, talk } from './rawHttp.ts';
import { smallPng, smallWav } from './samples/smallMedia.ts';
import type { TestService } from './service.ts';

export type Headers = Readonly<Record<string, string | number>>;
export type Json = { [key: string]: Json } & string;

export function makeSender(service: TestService) {
  /** One request on a connection of its own. */
  async function send(
    requestLine: string,
    headers: Headers = {},
    body: string | Buffer = '',
  ): Promise<RawAnswer> {
    const bytes = Buffer.from(body);
    const length: Headers = bytes.length > 0 ? { 'Content-Length': bytes.length } : {};
    const { answers } = await talk(service.url, [compose(requestLine, { ...headers, ...length }), bytes], {
      answersMax: 1,
    });
    const [answer] = answers;
    assert.ok(answer, `${requestLine} is answered`);
    return answer;
  }

  /** For clients that take nothing but a 200 with JSON. */
  async function take(requestLine: string, headers: Headers = {}, body: string | Buffer = ''): Promise<Json> {
    const { status, body: text } = await send(requestLine, headers, body);
    assert.equal(status, 200, text);
    return JSON.parse(text);
  }

  return { send, take };
}

const boundary = '----WebKitFormBoundary7MA4YWxkTrZu0gW';
export const formType = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };

/** A form as a browser writes it, with one file. */
export function writeForm(
  part: string,
  filename: string,
  fields: Readonly<Record<string, string>> = {},
): Buffer {
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${part}"; filename="${filename}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const bytes = filename.endsWith('.wav') ? smallWav : smallPng;
  return Buffer.concat([Buffer.from(texts.join('') + head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}
