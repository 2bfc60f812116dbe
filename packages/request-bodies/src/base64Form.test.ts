/** Tests URL-encoded forms with a file in base64, cut anywhere, against a reader that holds the whole form. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodeBase64 } from './base64.ts';
import { readFormField } from './base64Form.ts';

const names = ['file', 'data'];

async function* inPieces(text: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const ends = [...new Set(cuts.map(cut => cut % (text.length + 1)))].sort((a, b) => a - b);
  for (const [index, end] of [...ends, text.length].entries()) yield text.subarray(ends[index - 1] ?? 0, end);
}

async function read(form: string, cuts: readonly number[] = []): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const text = readFormField(inPieces(Buffer.from(form), cuts), names);
  for await (const chunk of decodeBase64(text, 'file')) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const bytes = fc.uint8Array({ maxLength: 400 }).map(array => Buffer.from(array));
const cuts = fc.array(fc.nat(2000), { maxLength: 12 });
const others = fc.array(fc.tuple(fc.constantFrom('a', 'name', 'filename'), fc.string()), { maxLength: 3 });

it('reads the original file, however the form is split', async () => {
  const property = fc.asyncProperty(
    ...([bytes, cuts, others, others, fc.constantFrom(...names), fc.boolean()] as const),
    async (file, at, before, behind, name, isDataUrl) => {
      const value = (isDataUrl ? 'data:image/png;base64,' : '') + file.toString('base64');
      const form = new URLSearchParams([...before, [name, value], ...behind]).toString();
      assert.deepEqual(await read(form, at), file);
    },
  );
  await fc.assert(property);
});

it('reads characters of base64 that a form should have escaped', async () => {
  assert.deepEqual(await read('file=++//'), Buffer.from('++//', 'base64'));
  assert.deepEqual(await read('x&&file=data:image/png;base64,AAAA&data=BBBB'), Buffer.from('AAAA', 'base64'));
});

describe('refuses', () => {
  const rows: readonly [string, string, string][] = [
    ['a form without the file', 'a=b&c', 'file_missing'],
    ['nothing', '', 'file_missing'],
    ['a name without an end', `${'x'.repeat(2000)}=1`, 'file_missing'],
    ['half an escape', 'file=AAAA%2', 'base64_invalid'],
    ['a file that is not base64', 'file=%00%ff%zz', 'base64_invalid'],
  ];
  for (const [name, form, code] of rows) {
    it(name, async () => {
      await assert.rejects(read(form), { name: 'BodyFailure', code });
      await assert.rejects(read(form, [1, 2, 3, 5, 8, 13]), { name: 'BodyFailure', code });
    });
  }
});
