/** Writes multipart forms byte by byte as widely used libraries do, to test that the service accepts them. */
import { smallPng, smallWav } from '@tapedeck/media-facts/samples';

/** How a library writes a form. */
type Writing = {
  boundary: string;
  /** The request's Content-Type, if the library writes it unlike most. */
  contentType?: string;
  /** Header lines above each part's content. */
  describeFile(part: string, filename: string): string[];
  describeField(name: string): string[];
};

type FieldForm = { contentType: string; body: Buffer };

const quoted = (name: string) => `Content-Disposition: form-data; name="${name}"`;
const octets = 'Content-Type: application/octet-stream';

const writings = {
  'a browser': {
    boundary: '----WebKitFormBoundary7MA4YWxkTrZu0gW',
    describeFile: (part, filename) => [`${quoted(part)}; filename="${filename}"`, 'Content-Type: image/jpeg'],
    describeField: name => [quoted(name)],
  },
  'a library for JavaScript servers': {
    boundary: '--------------------------502819358123741839162045',
    describeFile: (part, filename) => [`${quoted(part)}; filename="${filename}"`, 'Content-Type: image/png'],
    describeField: name => [quoted(name)],
  },
  'the form data of JavaScript servers': {
    boundary: '----formdata-undici-002450728684',
    describeFile: (part, filename) => [`${quoted(part)}; filename="${filename}"`, octets],
    describeField: name => [quoted(name)],
  },
  'a library that gives every part a length': {
    boundary: '----------------------------102938475610',
    describeFile: (part, filename) => [
      `${quoted(part)}; filename="${filename}"`,
      octets,
      'Content-Transfer-Encoding: binary',
      'Content-Length: 70',
    ],
    describeField: name => [quoted(name), 'Content-Type: text/plain; charset=UTF-8', 'Content-Length: 1'],
  },
  'a client for the command line': {
    boundary: '------------------------8f1c1d5a0b3f9e21',
    describeFile: (part, filename) => [`${quoted(part)}; filename="${filename}"`, 'Content-Type: image/png'],
    describeField: name => [quoted(name)],
  },
  'a library for Python': {
    boundary: '3bd1d9a5f0c44a1d8f0b8f9d2f4e7c11',
    describeFile: (part, filename) => [`${quoted(part)}; filename="${filename}"`],
    describeField: name => [quoted(name)],
  },
  'a library for C#': {
    boundary: '6f9a3a7e-3c1b-4a53-9f1e-0a1b2c3d4e5f',
    contentType: 'multipart/form-data; boundary="6f9a3a7e-3c1b-4a53-9f1e-0a1b2c3d4e5f"',
    describeFile: (part, filename) => [
      `Content-Disposition: form-data; name=${part}; filename=${filename}; filename*=utf-8''${filename}`,
    ],
    describeField: name => [
      'Content-Type: text/plain; charset=utf-8',
      `Content-Disposition: form-data; name=${name}`,
    ],
  },
  'a script in Lua, by hand': {
    boundary: 'boundary',
    contentType: 'Multipart/Form-Data; Boundary=boundary',
    describeFile: (part, filename) => [
      `content-disposition:form-data;name="${part}";filename="${filename}"`,
      'content-type:image/png',
    ],
    describeField: name => [`content-disposition:form-data;name="${name}"`],
  },
} as const satisfies Record<string, Writing>;

export type FormWriter = keyof typeof writings;
// These are the keys of that table.
export const formWriters = Object.keys(writings) as FormWriter[];

/** Composes a form with fields followed by one file: sound if the name says so, otherwise a picture. */
export function composeForm(
  writer: FormWriter,
  part: { name: string; filename: string },
  fields: Readonly<Record<string, string>> = {},
): FieldForm {
  const { boundary, contentType, describeField, describeFile }: Writing = writings[writer];
  const texts = Object.entries(fields).map(([name, value]) => [...describeField(name), '', value]);
  const lines = [...texts.flatMap(text => [`--${boundary}`, ...text]), `--${boundary}`];
  const head = [...lines, ...describeFile(part.name, part.filename), '', ''].join('\r\n');
  const content = /\.(?:wav|webm)$/.test(part.filename) ? smallWav : smallPng;
  return {
    contentType: contentType ?? `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}
