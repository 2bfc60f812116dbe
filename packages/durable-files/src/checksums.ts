/** Writes a file together with a second one that holds its SHA-256, and checks it against that. */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { writeSyncedFile } from './durableWrites.ts';

type Content = AsyncIterable<string | Uint8Array>;

const sumOf = (file: string) => `${file}.sha256`;

/** Resolves once both the new file and its checksum are synced. */
export async function writeChecked(file: string, content: Content): Promise<void> {
  const hash = createHash('sha256');
  await writeSyncedFile(file, passThrough(content, hash));
  await writeChecksum(file, hash.digest('hex'));
}

export function writeChecksum(file: string, hash: string): Promise<void> {
  return writeSyncedFile(sumOf(file), `${hash}\n`);
}

/** Also false if either file is missing or unreadable. */
export async function isUnchanged(file: string): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    const expected = (await readFile(sumOf(file), 'utf8')).trim();
    for await (const chunk of createReadStream(file)) hash.update(chunk);
    return hash.digest('hex') === expected;
  } catch {
    return false;
  }
}

async function* passThrough(content: Content, hash: Hash): Content {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}
