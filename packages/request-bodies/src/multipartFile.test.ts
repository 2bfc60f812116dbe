/** Tests valid and broken multipart uploads, cut anywhere. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  boundary,
  filePart,
  formOf,
  formType,
  options,
  type Part,
  picture,
  takeAll,
} from '../samples/forms.ts';
import { formFieldsMax } from './forms.ts';
import { readMultipart } from './multipartFile.ts';

function* slices(bytes: Buffer, sizeBytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.subarray(at, at + sizeBytes);
}

async function read(form: Buffer, { contentType = formType, sliceBytes = 65_536 } = {}) {
  const { takeFile, ...record } = takeAll();
  const body = Readable.from(slices(form, sliceBytes), { objectMode: false });
  const result = await readMultipart(
    { headers: { 'content-type': contentType }, body },
    options,
    takeFile,
  ).catch((error: unknown) => {
    for (const taken of record.taken)
      assert.ok(taken.isDisposed, 'what was taken is let go when the reading fails');
    throw error;
  });
  return {
    ...result.part,
    fields: { ...result.fields },
    bytes: result.file.bytes,
    isDisposed: result.file.isDisposed,
  };
}

describe('Multipart uploads', () => {
  const good: [
    title: string,
    parts: Part[],
    expected: { fieldName?: string; filename?: string; fields?: object },
  ][] = [
    ['only a file', [filePart], {}],
    [
      'fields before the file',
      [{ name: 'path', body: 'p' }, { name: 'filename', body: 'ü' }, filePart],
      { fields: { path: 'p', filename: 'ü' } },
    ],
    [
      'fields after the file',
      [filePart, { name: 'metadata', body: '{"a":1}' }],
      { fields: { metadata: '{"a":1}' } },
    ],
    [
      'unknown fields, which are ignored',
      [{ name: 'x', body: 'y' }, filePart, { name: '__proto__', body: 'z' }],
      {},
    ],
    ['a file of another name', [{ ...filePart, name: 'upload' }], { fieldName: 'upload' }],
    [
      'a file without a name of the part',
      [{ ...filePart, head: 'Content-Disposition: form-data; filename="a.png"' }],
      { fieldName: '' },
    ],
    ['a file without a file name', [{ name: 'file', body: picture }], { filename: '' }],
    [
      'a typed part without a file name',
      [{ name: 'x', type: 'image/png', body: picture }],
      { fieldName: 'x', filename: '' },
    ],
    [
      'metadata sent as a Blob',
      [{ name: 'metadata', filename: 'blob', type: 'application/json', body: '{}' }, filePart],
      { fields: { metadata: '{}' } },
    ],
    ['a file name in another script', [{ ...filePart, filename: '猫.png' }], { filename: '猫.png' }],
    [
      'an encoded file name',
      [
        {
          ...filePart,
          head: 'Content-Disposition: form-data; name="file"; filename*=UTF-8\'\'%e7%8c%ab.png',
        },
      ],
      { filename: '猫.png' },
    ],
    ['a file name with folders', [{ ...filePart, filename: '../a/b.png' }], { filename: '../a/b.png' }],
    [
      'headers in other letter case',
      [
        {
          ...filePart,
          head: 'CONTENT-TYPE: image/png\r\ncontent-disposition: form-data; name=file; filename=a.png',
        },
      ],
      {},
    ],
    [
      'parts without a disposition, which are ignored',
      [{ head: 'Content-Type: text/plain', body: 'x' }, filePart],
      {},
    ],
  ];
  for (const [title, parts, expected] of good) {
    it(`may hold ${title}, split anywhere`, async () => {
      for (const sliceBytes of [65_536, 1000, 1]) {
        const { bytes, isDisposed, ...rest } = await read(formOf(parts), { sliceBytes });
        assert.ok(bytes.equals(picture));
        assert.equal(isDisposed, false);
        assert.deepEqual(rest, { fieldName: 'file', filename: 'a.png', fields: {}, ...expected });
      }
    });
  }

  const frames: [title: string, form: Buffer, contentType?: string][] = [
    ['text before the first boundary', Buffer.concat([Buffer.from('preamble\r\n'), formOf([filePart])])],
    [
      'text after the last boundary',
      Buffer.concat([formOf([filePart]), Buffer.from('epilogue\r\n'.repeat(1000))]),
    ],
    ['no line end after the last boundary', formOf([filePart], `--${boundary}--`)],
    ['a quoted boundary', formOf([filePart]), `multipart/form-data; charset=utf-8; boundary="${boundary}"`],
    ['a type in other letter case', formOf([filePart]), `Multipart/Form-Data; Boundary=${boundary}`],
  ];
  for (const [title, form, contentType] of frames) {
    it(`may have ${title}`, async () => {
      const { bytes } = await read(form, { contentType: contentType ?? formType });
      assert.ok(bytes.equals(picture));
    });
  }

  it('hold any bytes at all, split anywhere', async () => {
    const pieces = fc.constantFrom(
      '\r\n',
      '--',
      boundary,
      `\r\n--${boundary.slice(0, -1)}`,
      '\r',
      '\n',
      '-',
      '\0',
      'x',
    );
    const content = fc.array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 5 })), {
      maxLength: 60,
    });
    const property = fc.asyncProperty(
      content,
      fc.integer({ min: 1, max: 300 }),
      async (content, sliceBytes) => {
        const body = Buffer.from(content.join('').replaceAll(`\r\n--${boundary}`, ''));
        if (body.includes(`--${boundary}`)) return;
        const { bytes } = await read(
          formOf([
            { name: 'path', body: 'p' },
            { ...filePart, body },
          ]),
          { sliceBytes },
        );
        assert.ok(bytes.equals(body));
      },
    );
    await fc.assert(property, { numRuns: 500 });
  });
});

describe('Multipart uploads that are refused', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `f${index}`, body: 'x' }));
  const rows: [title: string, form: Buffer, code: string, contentType?: string][] = [
    ['no file', formOf([{ name: 'path', body: 'p' }]), 'file_missing'],
    ['no parts', formOf([]), 'file_missing'],
    ['two files', formOf([filePart, { ...filePart, name: 'second' }]), 'bad_request'],
    [
      'two empty files',
      formOf([
        { ...filePart, body: '' },
        { ...filePart, body: '' },
      ]),
      'bad_request',
    ],
    [
      'a field twice',
      formOf([{ name: 'path', body: 'a' }, filePart, { name: 'path', body: 'b' }]),
      'invalid_field',
    ],
    [
      'a field that is too long',
      formOf([filePart, { name: 'metadata', body: 'x'.repeat(options.fieldBytesMax + 1) }]),
      'invalid_field',
    ],
    ['too many fields before the file', formOf([...many(formFieldsMax + 1), filePart]), 'bad_request'],
    ['too many fields after the file', formOf([filePart, ...many(formFieldsMax + 1)]), 'bad_request'],
    [
      'an endless header',
      formOf([
        {
          head: `X: ${'x'.repeat(200_000)}\r\nContent-Disposition: form-data; name="file"; filename="a"`,
          body: picture,
        },
      ]),
      'file_missing',
    ],
    [
      'very many headers',
      formOf([
        {
          head: `${'X: y\r\n'.repeat(5000)}Content-Disposition: form-data; name="file"; filename="a"`,
          body: picture,
        },
      ]),
      'file_missing',
    ],
    ['no end', formOf([filePart], ''), 'multipart_broken'],
    ['nothing', Buffer.alloc(0), 'multipart_broken'],
    ['another boundary', formOf([filePart]), 'multipart_broken', 'multipart/form-data; boundary=other'],
    ['no boundary', formOf([filePart]), 'multipart_broken', 'multipart/form-data'],
    ['an empty boundary', formOf([filePart]), 'multipart_broken', 'multipart/form-data; boundary='],
    ['an empty quoted boundary', formOf([filePart]), 'multipart_broken', 'multipart/form-data; boundary=""'],
    [
      'a boundary that is too long',
      formOf([filePart]),
      'multipart_broken',
      `multipart/form-data; boundary=${'b'.repeat(71)}`,
    ],
    ['another type', formOf([filePart]), 'unsupported_content_type', 'image/png'],
    [
      'another multipart',
      formOf([filePart]),
      'unsupported_content_type',
      `multipart/mixed; boundary=${boundary}`,
    ],
    ['no type', formOf([filePart]), 'unsupported_content_type', ''],
  ];
  for (const [title, form, code, contentType] of rows) {
    it(`have ${title}`, async () => {
      for (const sliceBytes of [65_536, 777]) {
        await assert.rejects(async () => read(form, { contentType: contentType ?? formType, sliceBytes }), {
          code,
        });
      }
    });
  }

  it('are cut off at any byte', async () => {
    const form = formOf(
      [
        { name: 'path', body: 'p' },
        { ...filePart, body: 'bytes' },
        { name: 'filename', body: 'x' },
      ],
      `--${boundary}--`,
    );
    for (let length = 0; length < form.length; length++) {
      const expected = { code: 'multipart_broken' };
      await assert.rejects(read(form.subarray(0, length)), expected, form.toString('latin1', 0, length));
    }
  });
});
