/** Tests request headers, valid and invalid. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseMethod, readChunk, readCreation } from './protocol.ts';

const version = { 'tus-resumable': '1.0.0' };

describe('Upload-Metadata', () => {
  const rows: [header: string, expected: Record<string, string> | string][] = [
    ['', {}],
    ['a YQ==', { a: 'a' }],
    ['a YQ==,b', { a: 'a', b: '' }],
    [' a YQ== , b Yg', { a: 'a', b: 'b' }],
    ['name w5w=,__proto__ YQ==', { name: 'Ü', ['__proto__']: 'a' }],
    ['a YQ==,a Yg==', { a: 'b' }],
    ['a Y*==', 'bad_request'],
    ['a YQ== YQ==', 'bad_request'],
    ['a /w==', 'bad_request'],
  ];
  for (const [header, expected] of rows) {
    it(JSON.stringify(header), () => {
      const read = () =>
        readCreation({ ...version, 'upload-length': '1', 'upload-metadata': header }).metadata;
      if (typeof expected === 'string') assert.throws(read, { code: expected });
      else assert.deepEqual(Object.entries(read()), Object.entries(expected));
    });
  }
});

describe('numbers of bytes', () => {
  const rows: [text: string, expected: number | string][] = [
    ['0', 0],
    ['9007199254740991', 2 ** 53 - 1],
    ['9007199254740993', 'bad_request'],
    ['', 'bad_request'],
    ['+1', 'bad_request'],
    ['0x10', 'bad_request'],
    ['1.5', 'bad_request'],
    ['99999999999999999999', 'bad_request'],
  ];
  for (const [text, expected] of rows) {
    it(JSON.stringify(text), () => {
      const type = { 'content-type': 'application/offset+octet-stream' };
      const read = () => readChunk({ ...version, ...type, 'upload-offset': text }).offset;
      if (typeof expected === 'string') assert.throws(read, { code: expected });
      else assert.equal(read(), expected);
    });
  }
});

describe('a method in a header', () => {
  const rows: [method: string, named: string | undefined, expected: string][] = [
    ['POST', undefined, 'POST'],
    ['POST', 'patch', 'PATCH'],
    ['POST', 'HEAD', 'HEAD'],
    ['POST', 'DELETE', 'DELETE'],
    ['POST', 'GET', 'POST'],
    ['POST', 'CONNECT', 'POST'],
    ['GET', 'DELETE', 'GET'],
  ];
  for (const [method, named, expected] of rows)
    it(`${method} with ${named}`, () =>
      assert.equal(chooseMethod(method, { 'x-http-method-override': named }), expected));
});
