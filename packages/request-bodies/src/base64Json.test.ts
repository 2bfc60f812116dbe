/** Tests JSON upload bodies, cut anywhere, against `JSON.parse` and `Buffer`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Base64Json } from './base64Json.ts';

const options: ConstructorParameters<typeof Base64Json>[0] = {
  fileFields: ['base64'],
  restBytesMax: 256 * 1024,
};

async function* inPieces(text: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const ends = [...new Set(cuts.map(cut => cut % (text.length + 1)))].sort((a, b) => a - b);
  for (const [index, end] of [...ends, text.length].entries()) yield text.subarray(ends[index - 1] ?? 0, end);
}

async function read(text: string | Buffer, cuts: readonly number[] = []) {
  const body = new Base64Json(options);
  const chunks: Buffer[] = [];
  for await (const chunk of body.readFile(inPieces(Buffer.from(text), cuts))) chunks.push(chunk);
  return { file: Buffer.concat(chunks), fields: body.fields };
}

/** Reads the whole body at once: the file and the other fields, or null if it is invalid. */
function readWhole(text: string): { file: Buffer; fields: Record<string, unknown> } | null {
  try {
    const { base64, ...fields } = JSON.parse(text);
    const bare = base64.replace(/[\t\n\f\r ]+/g, '').replace(/^data:[^,]*;base64,/, '');
    return { file: Buffer.from(atob(bare.replaceAll('-', '+').replaceAll('_', '/')), 'latin1'), fields };
  } catch {
    return null;
  }
}

const everywhere = (text: string) => Array.from(text, (_, index) => index);
const cuts = fc.array(fc.nat(5000), { maxLength: 12 });

/** Escapes some characters of a JSON string, as other languages do: \/ by PHP, \u002b by .NET. */
const escapeSome = (text: string, every: number) =>
  [...text]
    .map((character, index) => {
      if (index % every !== 0) return character;
      if (character === '/') return '\\/';
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    })
    .join('');

describe('JSON upload bodies', () => {
  it('read the same as by a parser of whole bodies, however they are split', async () => {
    const property = fc.asyncProperty(
      fc.uint8Array({ maxLength: 400 }),
      fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue(), { maxKeys: 5 }),
      fc.record({
        at: fc.nat(5),
        every: fc.integer({ min: 1, max: 50 }),
        indent: fc.nat(3),
        isUrl: fc.boolean(),
        cuts,
      }),
      async (bytes, others, dress) => {
        const base64 = Buffer.from(bytes).toString('base64');
        const members = Object.entries(others).filter(([key]) => key !== 'base64');
        members.splice(dress.at, 0, ['base64', 'FILE']);
        const text = JSON.stringify(Object.fromEntries(members), null, dress.indent).replace(
          /("base64": ?)"FILE"/,
          (_, key) => `${key}"${escapeSome(base64, dress.every)}"`,
        );
        assert.deepEqual(await read(text, dress.cuts), readWhole(text));
      },
    );
    await fc.assert(property, { numRuns: 1500 });
  });

  it('are refused exactly when that parser refuses them, however damaged', async () => {
    const sound =
      '{"filename":"a\\"b\\\\", "x":[1,{"base64":"no"},null], "base64":"QU\\/\\u0044RA==" ,"path":"ü"}';
    const damage = fc.constantFrom(
      '',
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      ' ',
      '\n',
      'n',
      '1',
      '\\u0041',
      '\0',
      '//',
    );
    const property = fc.asyncProperty(
      fc.nat(200),
      fc.nat(3),
      damage,
      cuts,
      async (at, removed, inserted, cuts) => {
        const position = at % (sound.length + 1);
        const text = sound.slice(0, position) + inserted + sound.slice(position + removed);
        const expected = readWhole(text);
        if (expected !== null) assert.deepEqual(await read(text, cuts), expected, text);
        else {
          const codes = ['invalid_json', 'base64_invalid', 'invalid_field', 'file_missing'];
          await assert.rejects(
            read(text, cuts),
            ({ code }: { code?: string }) => codes.includes(code ?? ''),
            text,
          );
        }
      },
    );
    await fc.assert(property, { numRuns: 4000 });
  });

  const good: [title: string, text: string, file: string, fields: unknown][] = [
    ['fields before the file', '{"filename":"a","base64":"QQ=="}', 'A', { filename: 'a' }],
    ['fields after the file', '{"base64":"QQ==","path":"p"}', 'A', { path: 'p' }],
    ['an escaped key', '{"b\\u0061se6\\u0034":"QQ=="}', 'A', {}],
    ['a data URL with escaped slashes', '{"base64":"data:image\\/png;base64,QQ=="}', 'A', {}],
    ['escaped line ends in the file', '{"base64":"Q\\r\\nQ\\t=\\u000a="}', 'A', {}],
    ['plain spaces in the file', '{"base64":" QQ = = "}', 'A', {}],
    ['an empty file', '{"base64":""}', '', {}],
    [
      'a deeper base64, which is another field',
      '{"m":{"base64":"no!"},"base64":"QQ=="}',
      'A',
      { m: { base64: 'no!' } },
    ],
    ['base64 as a value', '{"a":"base64","b":"base64","base64":"QQ=="}', 'A', { a: 'base64', b: 'base64' }],
    ['other fields twice, the last counts', '{"a":1,"base64":"QQ==","a":2}', 'A', { a: 2 }],
    ['base64 twice, only the last a string', '{"base64":1,"base64":"QQ=="}', 'A', {}],
    ['much white space', ' \n\t{ "base64" \r\n : \t "QQ==" } \n', 'A', {}],
    ['deep nesting', `{"a":${'['.repeat(9000)}${']'.repeat(9000)},"base64":"QQ=="}`, 'A', undefined],
  ];
  for (const [title, text, file, fields] of good) {
    it(`may have ${title}`, async () => {
      for (const cuts of [[], everywhere(text)]) {
        const result = await read(text, cuts);
        assert.equal(result.file.toString(), file);
        if (fields !== undefined) assert.deepEqual(result.fields, fields);
      }
    });
  }

  const bad: [title: string, text: string | Buffer, code: string][] = [
    ['no file', '{"filename":"a"}', 'file_missing'],
    ['nothing', '', 'invalid_json'],
    ['an array', '["base64","QQ=="]', 'invalid_field'],
    ['a string', '"QQ=="', 'invalid_field'],
    ['null', 'null', 'invalid_field'],
    ['a file that is a number', '{"base64":12}', 'invalid_field'],
    ['a file that is null', '{"base64":null}', 'invalid_field'],
    ['a file that is an array of strings', '{"base64":["QQ=="]}', 'invalid_field'],
    ['a file that is an object', '{"base64":{"base64":"QQ=="}}', 'invalid_field'],
    ['two files', '{"base64":"QQ==","base64":"QQ=="}', 'invalid_field'],
    ['a file and then none', '{"base64":"QQ==","base64":null}', 'invalid_field'],
    ['a raw line end in the file', '{"base64":"QQ\n=="}', 'base64_invalid'],
    ['a raw tab in the file', '{"base64":"\tQQ=="}', 'base64_invalid'],
    ['a quote in the file', '{"base64":"QQ\\"=="}', 'base64_invalid'],
    ['a backslash in the file', '{"base64":"QQ\\\\=="}', 'base64_invalid'],
    ['a foreign character whose low byte is a letter', '{"base64":"QQ\\u1041A"}', 'base64_invalid'],
    ['an unknown escape in the file', '{"base64":"QQ\\x=="}', 'invalid_json'],
    ['half an escape in the file', '{"base64":"QQ\\u00"}', 'invalid_json'],
    ['a file that does not end', '{"base64":"QQ==', 'invalid_json'],
    ['a body that does not end', '{"base64":"QQ=="', 'invalid_json'],
    ['trailing data', '{"base64":"QQ=="}{}', 'invalid_json'],
    ['no colon', '{"base64" "QQ=="}', 'invalid_json'],
    ['a trailing comma', '{"base64":"QQ==",}', 'invalid_json'],
    ['single quotes', "{'base64':'QQ=='}", 'invalid_json'],
    ['NaN', '{"base64":"QQ==","a":NaN}', 'invalid_json'],
    ['a byte order mark', '\ufeff{"base64":"QQ=="}', 'invalid_json'],
    ['invalid UTF-8', Buffer.from('{"base64":"QQ==","a":"\xff"}', 'latin1'), 'invalid_json'],
    ['invalid UTF-8 in the file', Buffer.from('{"base64":"QQ\xff=="}', 'latin1'), 'base64_invalid'],
    [
      'more data beside the file than is allowed',
      `{"a":"${'x'.repeat(options.restBytesMax)}"}`,
      'body_too_large',
    ],
  ];
  for (const [title, text, code] of bad) {
    it(`with ${title} are refused`, async () => {
      await assert.rejects(read(text), { code });
      if (text.length < 1000) await assert.rejects(read(text, everywhere(String(text))), { code });
    });
  }

  it('keep hostile keys away from prototypes', async () => {
    const { fields } = await read(
      '{"__proto__":{"filename":"evil"},"base64":"QQ==","constructor":{"prototype":{}}}',
    );
    assert.equal(Object.getPrototypeOf(fields), Object.prototype);
    assert.equal(fields.filename, undefined);
    assert.deepEqual(Object.keys(fields), ['__proto__', 'constructor']);
  });

  it('give access to their fields only once they are read', () => {
    assert.throws(() => new Base64Json(options).fields, /once its file was read/);
  });
});
