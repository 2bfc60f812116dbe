/** Files that are two formats at once, and paths that pretend to lead elsewhere. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { smallWav } from '@tapedeck/media-facts/samples';
import { describeRefusal } from '../support/client.ts';
import { compose, talk } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';
import {
  formOf,
  makePicture,
  mediaEnvironment,
  mediaToken,
  pathOf,
  sendForm,
  uploadFile,
} from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const picture = await makePicture();
const page = Buffer.from('<!doctype html><script>alert(document.domain)</script>');
const archive = Buffer.from('PK\x03\x04\x14\x00\x00\x00evil.js\x00PK\x05\x06', 'latin1');
const gif = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64');

describe('a file with a second meaning', () => {
  const taken: readonly [string, Buffer, string][] = [
    ['a picture with a page after it', Buffer.concat([picture, page]), 'image/png'],
    ['a picture with an archive after it', Buffer.concat([picture, archive]), 'image/png'],
    ['a picture with a script in a comment', makeGifWithComment('*/alert(1)/*'), 'image/gif'],
    ['sound with a page after it', Buffer.concat([smallWav, page]), 'audio/wav'],
  ];
  for (const [name, bytes, mimeType] of taken) {
    it(`${name} is served only as the type at its beginning`, async () => {
      const { url } = await uploadFile(service, bytes, { filename: 'page.html' });
      assert.match(url, /\.(?:png|gif|wav)$/);
      const response = await service.fetch(pathOf(url), { headers: { accept: 'text/html' } });
      assert.equal(response.headers.get('content-type'), mimeType);
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(response.headers.get('content-security-policy'), "default-src 'none'; sandbox");
      assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes));
    });
  }

  const refused: readonly [string, Buffer][] = [
    ['a page with a picture after it', Buffer.concat([page, picture])],
    ['an archive with a picture after it', Buffer.concat([archive, picture])],
    ['a picture after a byte order mark', Buffer.concat([Buffer.from('\ufeff'), picture])],
    ['a script that begins like a picture', Buffer.from('GIF89a=1;alert(1)//'.padEnd(64, ' '))],
    [
      'a drawing that contains a script',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
    ],
    ['a document with a picture after it', Buffer.concat([Buffer.from('%PDF-1.7\n'), picture])],
  ];
  for (const [name, bytes] of refused) {
    it(`${name} is refused`, async () => {
      const response = await sendForm(service, formOf(bytes, {}, 'shot.png'));
      assert.equal(await describeRefusal(response), '415 unsupported_media');
    });
  }
});

/** Makes a GIF with a comment block between header and picture. */
function makeGifWithComment(comment: string): Buffer {
  const headBytes = 13;
  const block = Buffer.concat([
    Buffer.from([0x21, 0xfe, comment.length]),
    Buffer.from(comment, 'latin1'),
    Buffer.from([0]),
  ]);
  return Buffer.concat([gif.subarray(0, headBytes), block, gif.subarray(headBytes)]);
}

describe('a malicious path', () => {
  const names = [
    '../secret',
    '..%2fsecret',
    '%2e%2e/secret',
    '%2e%2e%2fsecret',
    '..%5csecret',
    '..\\secret',
    '%252e%252e%252fsecret',
    '..%c0%afsecret',
    '%c0%ae%c0%ae/secret',
    '..%ef%bc%8fsecret',
    '....//secret',
    '%00',
    'secret%00.png',
    '/etc/passwd',
    '%2fetc%2fpasswd',
    'file:%2f%2f/etc/passwd',
    '~/secret',
    '.',
    '..',
    '../../../../../../../../etc/passwd',
    '..;/secret',
    '%2e',
    'C:%5csecret',
    '%F0%28%8C%BC',
  ];
  for (const before of ['/media/default/', '/media/', '/api/v3/file/']) {
    it(`below ${before} leads nowhere`, async () => {
      for (const name of names) {
        const { answers } = await talk(
          service.url,
          [compose(`GET ${before}${name}`, { Authorization: mediaToken })],
          { answersMax: 1 },
        );
        const [answer] = answers;
        assert.ok(answer, name);
        assert.ok([400, 404].includes(answer.status), `${before}${name}: ${answer.status}`);
        assert.ok(!answer.body.includes('root:'), name);
      }
    });
  }

  it('in a file name does not affect the URL', async () => {
    for (const filename of [
      '../../etc/passwd',
      '..\\..\\x',
      '/etc/passwd',
      'C:\\x',
      '..',
      '%2e%2e%2fx',
      'a\0b',
    ]) {
      const { url } = await uploadFile(service, picture, { filename });
      assert.match(pathOf(url), /^\/media\/default\/[^/]+\.png$/, filename);
      assert.equal((await service.fetch(pathOf(url))).status, 200);
    }
  });
});

it('a duplicate key in metadata counts as usual in JSON: the last one', async () => {
  const { id } = await uploadFile(service, picture, { metadata: '{"a":1,"b":{"c":1,"c":2},"a":2}' });
  const response = await service.fetch(`/api/v3/file/${id}`, { headers: { authorization: mediaToken } });
  const { data } = (await response.json()) as { data: { metadata: unknown } };
  assert.deepEqual(data.metadata, { a: 2, b: { c: 2 } });
});
