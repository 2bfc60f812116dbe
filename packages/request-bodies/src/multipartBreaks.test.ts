/** Tests multipart uploads that end early, because the file is refused or the connection breaks. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { Failure } from '@tapedeck/values/failure';
import { filePart, formOf, formType, options, type Taken, takeAll } from '../samples/forms.ts';
import { BodyFailure } from './bodyFailure.ts';
import { readMultipart } from './multipartFile.ts';

describe('Multipart uploads whose file', () => {
  it('is refused fail with that error and are read no further', async () => {
    const body = new PassThrough();
    const refusal = new BodyFailure('file_too_large', 'Send less.');
    const reading = readMultipart<Taken>(
      { headers: { 'content-type': formType }, body },
      options,
      async part => {
        for await (const _ of part.content) throw refusal;
        throw new Error('unreachable');
      },
    );
    body.write(formOf([filePart], '').subarray(0, 3000));
    await assert.rejects(reading, refusal);
    assert.equal(body.isPaused(), true);
    assert.equal(body.destroyed, false);
    // Draining the rest must not wake the parser.
    body.resume().end(Buffer.alloc(200_000));
    await once(body, 'end');
  });

  it('is read slowly are received slowly', async () => {
    let produced = 0;
    const endless = new Readable({
      read() {
        produced += 65_536;
        this.push(Buffer.alloc(65_536));
      },
    });
    endless.unshift(formOf([filePart], '').subarray(0, 500));
    let isTaking = () => {};
    const started = new Promise<void>(resolve => {
      isTaking = resolve;
    });
    const reading = readMultipart<Taken>(
      { headers: { 'content-type': formType }, body: endless },
      options,
      async part => {
        const chunks = part.content[Symbol.asyncIterator]();
        await chunks.next();
        isTaking();
        return new Promise(() => {});
      },
    );
    reading.catch(() => {});
    await started;
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    assert.ok(produced < 1_000_000, `${produced} bytes were read ahead`);
    endless.destroy();
    await assert.doesNotReject(Promise.race([reading.catch(() => {}), new Promise(setImmediate)]));
  });
});

describe('Multipart uploads that break off', () => {
  let server: http.Server;
  let outcome: Promise<unknown>;
  const { takeFile, taken, failures } = takeAll();

  before(async () => {
    server = http.createServer((request, response) => {
      outcome = readMultipart({ headers: request.headers, body: request }, options, takeFile).then(
        () => response.end('ok'),
        (error: unknown) => error,
      );
      server.emit('reading');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const form = formOf([
    { name: 'path', body: 'p' },
    { ...filePart, body: randomBytes(300_000) },
    { name: 'filename', body: 'x' },
  ]);
  const lengths = [0, 30, 100, 160, 200_000, form.length - 150, form.length - 10, form.length - 1];
  for (const length of lengths) {
    for (const how of ['content-length', 'chunked']) {
      it(`after ${length} of ${form.length} bytes (${how}) leave nothing`, async () => {
        taken.length = 0;
        const reading = once(server, 'reading');
        const client = connect((server.address() as AddressInfo).port, '127.0.0.1'); // it listens on TCP
        const framing = how === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${form.length}`;
        client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${formType}\r\n${framing}\r\n\r\n`);
        if (how === 'chunked') client.write(`${form.length.toString(16)}\r\n`);
        client.write(form.subarray(0, length));
        await reading;
        client.end(() => client.destroy());
        const error = await outcome;
        assert.ok(error instanceof Failure);
        assert.equal(error.code, 'multipart_broken');
        for (const file of taken) assert.ok(file.isDisposed);
      });
    }
  }

  it('also end the reading of the file', () => assert.ok(failures.length > 0));
});
