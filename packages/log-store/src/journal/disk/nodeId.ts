/** Gives a journal a name that is unique among all nodes, in a file that moves with its segments. */
import path from 'node:path';
import { newId } from '@tapedeck/values/random-ids';
import { LogStoreFailure } from '../../failures.ts';
import type { JournalDisk } from './disk.ts';

const namePattern = /^[0-9A-Za-z]{20}$/; // as `newId` makes them

const fileName = 'node';
const draftName = 'node.draft';

/** Creates the file if absent; resolves once it survives a power cut. The caller must hold the directory's lock. */
export async function keepNodeId(disk: JournalDisk, directory: string): Promise<string> {
  const names = await disk.list(directory);
  const file = path.join(directory, fileName);
  if (!names.includes(fileName)) {
    const draft = path.join(directory, draftName);
    await disk.remove(draft);
    await writeSynced(disk, draft, newId());
    await disk.rename(draft, file);
  }
  await disk.syncDirectory(directory); // also for a process that died before this point
  const id = await readText(disk, file);
  if (namePattern.test(id)) return id;
  throw new LogStoreFailure(
    'unavailable',
    `The file ${file} is damaged: remove it. For a day, Idempotency-Keys of requests that were in progress will then be refused.`,
  );
}

async function writeSynced(disk: JournalDisk, file: string, text: string): Promise<void> {
  await using draft = await disk.create(file);
  await draft.write([Buffer.from(text)], 0);
  await draft.sync();
}

async function readText(disk: JournalDisk, name: string): Promise<string> {
  await using file = await disk.open(name);
  const bytes = Buffer.alloc(await file.size());
  return bytes.toString('utf8', 0, await file.read(bytes, 0));
}
