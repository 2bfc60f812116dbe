/** Uploads files in each way that clients do, and makes small files. */
import assert from 'node:assert/strict';
import { readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { readForm, type VariantForm } from '@tapedeck/domain/files/variantForms';
import sharp from 'sharp';
import type { TestService } from './service.ts';

export type Uploaded = { id: string; url: string; originalUrl: string };

export const mediaToken = 'media-token-of-the-tests-0123456';
/** A token of the default project that allows everything with files. */
export const mediaEnvironment = { TAPEDECK_MEDIA_TOKEN: mediaToken };

export async function makePicture(width = 8, height = 6, background = '#d04020'): Promise<Buffer> {
  return await sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
}

/** The variant form requested with `?w=`. */
export function formOfWidth(width: number): VariantForm {
  const form = readForm({ w: String(width) });
  assert.ok(form);
  return form;
}

/** Makes a WAV of eight kilobytes a second; each tone gives different bytes. */
export function makeSound({ seconds = 1, tone = 0 } = {}): Buffer {
  const data = Buffer.alloc(8000 * seconds, tone);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

/** A form's entries in order: text fields, and files as bytes with a name. */
export type FormEntry = readonly [name: string, value: string | { bytes: Uint8Array; filename: string }];

export function composeForm(entries: readonly FormEntry[]): FormData {
  const form = new FormData();
  for (const [name, value] of entries) {
    if (typeof value === 'string') form.append(name, value);
    // Copied into a new buffer, as Blob's type demands.
    else form.append(name, new Blob([new Uint8Array(value.bytes)]), value.filename);
  }
  return form;
}

export function formOf(
  bytes: Uint8Array,
  fields: Readonly<Record<string, string>> = {},
  filename = 'file.bin',
): FormData {
  return composeForm([...Object.entries(fields), ['file', { bytes, filename }]]);
}

export const uploadRoute = '/api/v3/file';

type SendOptions = { route?: string; token?: string; method?: string };

export function sendForm(
  service: Pick<TestService, 'fetch'>,
  form: FormData,
  { route = uploadRoute, token = mediaToken, method = 'POST' }: SendOptions = {},
): Promise<Response> {
  return service.fetch(route, { method, body: form, headers: token === '' ? {} : { authorization: token } });
}

/** Uploads and expects success. */
export async function uploadFile(
  service: Pick<TestService, 'fetch'>,
  bytes: Uint8Array,
  ...[fields = {}, options = {}]: [fields?: Readonly<Record<string, string>>, options?: SendOptions]
): Promise<Uploaded> {
  return await readUploaded(await sendForm(service, formOf(bytes, fields), options));
}

export async function readUploaded(response: Response): Promise<Uploaded> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  // The shape of an upload result; callers check the parts they use.
  return (JSON.parse(text) as { data: Uploaded }).data;
}

type Poster = {
  post(
    route: string,
    headers: Record<string, string>,
    body?: NonNullable<RequestInit['body']>,
  ): Promise<Response>;
  /** Posts JSON to the base64 route. */
  postJson(body: unknown): Promise<Response>;
  /** `query` follows the route, including its question mark. */
  postText(query: string, body: string): Promise<Response>;
};

/** Sends bodies that are not forms. */
export function makePoster(service: TestService): Poster {
  const post: Poster['post'] = (route, headers, body = '') =>
    service.fetch(route, { method: 'POST', headers: { authorization: mediaToken, ...headers }, body });
  return {
    post,
    postJson: body =>
      post(`${uploadRoute}/base64`, { 'content-type': 'application/json' }, JSON.stringify(body)),
    postText: (query, body) => post(`${uploadRoute}${query}`, { 'content-type': 'text/plain' }, body),
  };
}

export type FileRecord = Record<string, unknown> & {
  id: string;
  key: string;
  url: string;
  metadata: Record<string, unknown>;
};

export async function readRecord(
  service: TestService,
  idOrKey: string,
  token = mediaToken,
): Promise<FileRecord> {
  const response = await service.fetch(`${uploadRoute}/${encodeURIComponent(idOrKey)}`, {
    headers: { authorization: token },
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return (JSON.parse(text) as { data: FileRecord }).data; // as above
}

/** Returns the path of a URL that the service returned. */
export function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]+/, '');
}

/** Lists an upload's leftovers besides rows: blobs, staging files and open descriptors of either. */
export async function listTraces(
  service: TestService,
): Promise<{ blobs: string[]; staging: string[]; open: string[] }> {
  const list = async (folder: string): Promise<string[]> =>
    (
      await readdir(path.join(service.dataDir, folder), { recursive: true, withFileTypes: true }).catch(
        () => [], // with S3 there is no media folder
      )
    )
      .filter(entry => entry.isFile() && entry.name !== 'installation') // names the owner of the other files
      .map(entry => path.join(entry.parentPath, entry.name));
  const descriptors = await Promise.all(
    (await readdir('/proc/self/fd')).map(name => readlink(`/proc/self/fd/${name}`).catch(() => '')),
  );
  return {
    blobs: (await list('media')).sort(),
    staging: await list('staging/files'),
    open: descriptors.filter(at => at.startsWith(service.dataDir) && /\/(staging\/files|media)\//.test(at)),
  };
}

/** Returns the usage that the service records. */
export async function readUsage(
  service: TestService,
  project = 'default',
): Promise<{ files: number; bytes: number }> {
  return await (await service.openStore()).files.usage(project);
}
