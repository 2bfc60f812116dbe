/**
 * The file that lists the parts of the log table whose entries have left the journal, and which of them were lost. It lies outside of the
 * engine's directory, which may get lost, and carries a checksum.
 */
import { createHash } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, syncDirectory, writeSyncedFile } from '@tapedeck/durable-files';

/** Seconds since 1970 of its first and its last entry; `key` tells it from another part that was given the same name. */
export type RecordedPart = {
  name: string;
  entries: number;
  fromSecond: number;
  toSecond: number;
  key: string;
};

/** `damaged`: it is in its place, and cannot be read. `setAside`: the engine found it broken, and moved it out of the table. */
export type PartLoss = 'gone' | 'setAside' | 'damaged';

export type LostPart = RecordedPart & { loss: PartLoss };

export type Ledger = {
  /** The mark of the engine that has the parts; null where it had none yet. */
  engine: string | null;
  parts: readonly RecordedPart[];
  lost: readonly LostPart[];
  /** Parts may be going on purpose: written before the first of them goes, and taken back after a look at what is left. */
  isRemoving: boolean;
  /** Names of lost parts that somebody said not to look for any more. */
  accepted: readonly string[];
};

const fileName = 'log-parts';
/** Lost parts that nobody needs to look for: a command writes them, and the process with the ledger removes them. */
const acceptanceName = 'log-parts-accepted';

/** A string says why there is none. */
export async function readLedger(dataDir: string): Promise<Ledger | 'absent' | 'damaged'> {
  const text = await readIfThere(path.join(dataDir, fileName));
  if (text === null) return 'absent';
  const end = text.indexOf('\n');
  const content = text.slice(end + 1);
  if (text.slice(0, end) !== sum(content)) return 'damaged';
  return JSON.parse(content) as Ledger; // it is what `writeLedger` wrote, as the checksum says
}

/** Resolves once it survives a power cut. One writer at a time. */
export async function writeLedger(dataDir: string, ledger: Ledger): Promise<void> {
  const content = JSON.stringify(ledger);
  await replaceFile(path.join(dataDir, fileName), `${sum(content)}\n${content}`);
}

/** null where nobody accepted anything; keys of lost parts. */
export async function readAcceptance(dataDir: string): Promise<ReadonlySet<string> | null> {
  const text = await readIfThere(path.join(dataDir, acceptanceName));
  return text === null ? null : new Set(text.split('\n'));
}

export async function writeAcceptance(dataDir: string, lost: readonly LostPart[]): Promise<void> {
  await replaceFile(path.join(dataDir, acceptanceName), lost.map(nameAcceptance).join('\n'));
}

export async function isAcceptancePending(dataDir: string): Promise<boolean> {
  return (await readAcceptance(dataDir)) !== null;
}

export function nameAcceptance({ name, key }: RecordedPart): string {
  return `${name} ${key}`;
}

export async function removeAcceptance(dataDir: string): Promise<void> {
  await rm(path.join(dataDir, acceptanceName), { force: true });
}

/** Whether a part was set aside under this name, such as `broken-on-start_0-20261101_1_1_0`. */
export function isDetachedAs(name: string, part: string): boolean {
  return name === part || name.replace(/_try\d+$/, '').endsWith(`_${part}`);
}

async function replaceFile(file: string, content: string): Promise<void> {
  const draft = `${file}.draft`;
  await rm(draft, { force: true }); // of a writer that was killed
  await writeSyncedFile(draft, content);
  await rename(draft, file);
  await syncDirectory(path.dirname(file));
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return null;
    throw error;
  }
}

function sum(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
