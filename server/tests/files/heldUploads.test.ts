/** No upload blocks the event loop longer than CONTRACT.md, 14, allows, however its bytes are arranged. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { updateProject } from '@tapedeck/contract/projects';
import {
  type HostileFile,
  hostileLocations,
  hostileMovies,
  hostilePictures,
  hostileSound,
  hostileStreams,
  refused,
} from '@tapedeck/media-facts/samples';
import { requireShortHolds } from '../support/eventLoop.ts';
import { openMessages } from '../support/messageForms.ts';
import { addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { makePoster, mediaEnvironment, uploadRoute } from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const { owner } = await openMessages(service);
const { token: logsToken } = await addToken(owner, { kind: 'logs' });
const { post } = makePoster(service);
await owner.call(updateProject, { params: { project: 'default' }, body: { stripLocation: true } });

const patternBytes = 1024 * 1024; // a check holds the loop, if at all, for the pieces of 64 KiB

function fill({
  head,
  pattern = Buffer.alloc(0),
  tail = Buffer.alloc(0),
}: HostileFile): Uint8Array<ArrayBuffer> {
  const middle = pattern.length === 0 ? pattern : Buffer.alloc(patternBytes, pattern);
  return new Uint8Array(Buffer.concat([head, middle, tail]));
}

async function send(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  const response = await post(uploadRoute, { 'content-type': 'image/png' }, bytes);
  await response.arrayBuffer();
  return response.status;
}

await send(fill({ name: '', answer: refused, head: Buffer.from('GIF89a') })); // initialises what the first upload needs

describe('a form of', () => {
  const crowd = (start: string, part: string) => `${start}${part.repeat((1024 * 1024) / part.length)}--\r\n`;
  const rows: [string, string][] = [
    ['empty parts', crowd('--b', '\r\n\r\n\r\n--b')],
    ['parts without a break', crowd('', '\r\n--b\r\n\r\n')],
    ['parts with a header', crowd('--b', '\r\na:b\r\n\r\n\r\n--b')],
  ];
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  for (const route of [uploadRoute, `/api/webhooks/1/${logsToken}`])
    for (const [title, form] of rows)
      it(`${title} for ${route.split('/').slice(0, 4).join('/')}: 400`, async () => {
        await requireShortHolds(async () => assert.equal((await post(route, headers, form)).status, 400));
      });
});

describe('a file of', () => {
  for (const file of [...hostilePictures, ...hostileSound, ...hostileMovies, ...hostileStreams])
    it(file.name, async () => {
      const bytes = fill(file);
      await requireShortHolds(async () => assert.match(String(await send(bytes)), /^(?:200|415)$/));
    });
});

describe('a picture with places to remove, of', () => {
  for (const file of hostileLocations) {
    const status = file.answer === refused ? 415 : 200;
    it(`${file.name}: ${status}`, async () => {
      const bytes = fill(file);
      await requireShortHolds(async () => assert.equal(await send(bytes), status));
    });
  }
});
