/** For tests: multipart bodies, and a receiver that remembers its files. */
import { randomBytes } from 'node:crypto';
import type { FileFormOptions, FilePart } from '../src/multipartFile.ts';

export const boundary = '----form-4711';
export const formType = `multipart/form-data; boundary=${boundary}`;

/** Options like those of an upload: a few known fields; others are ignored. */
export const options: FileFormOptions = {
  fieldNames: ['filename', 'path', 'metadata', 'retentionExempt', 'retention_exempt'],
  fieldBytesMax: 128 * 1024,
  fileNames: ['file', 'image', 'video', 'audio'],
};

export type Part = { name?: string; filename?: string; type?: string; body: string | Buffer; head?: string };

export function formOf(parts: readonly Part[], end = `--${boundary}--\r\n`): Buffer {
  const bytes = parts.map(({ name, filename, type, body, head }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    const lines =
      head ??
      `Content-Disposition: form-data; name="${name}"${file}${type ? `\r\nContent-Type: ${type}` : ''}`;
    return Buffer.concat([
      Buffer.from(`--${boundary}\r\n${lines}\r\n\r\n`),
      Buffer.from(body),
      Buffer.from('\r\n'),
    ]);
  });
  return Buffer.concat([...bytes, Buffer.from(end)]);
}

/** The received bytes, and whether they were released. */
export class Taken implements AsyncDisposable {
  isDisposed = false;
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.isDisposed = true;
  }
}

export function takeAll(): {
  takeFile: (part: FilePart) => Promise<Taken>;
  taken: Taken[];
  failures: unknown[];
} {
  const taken: Taken[] = [];
  const failures: unknown[] = [];
  const takeFile = async (part: FilePart) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of part.content) chunks.push(chunk);
    } catch (error) {
      failures.push(error);
      throw error;
    }
    const result = new Taken(Buffer.concat(chunks));
    taken.push(result);
    return result;
  };
  return { takeFile, taken, failures };
}

export const picture = randomBytes(5000);
export const filePart: Part = { name: 'file', filename: 'a.png', type: 'image/png', body: picture };
