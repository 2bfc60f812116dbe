/**
 * The file that lists the parts of the log table whose entries have left the journal, and those of them that were lost. It
 * lies outside the engine's directory, which may get lost, and carries a checksum.
 */
import { createHash } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, syncDirectory, writeSyncedFile } from '@tapedeck/durable-files';

/** The seconds are Unix times of its first and last entry. `key` tells it from another part of the same name. */
export type RecordedPart = {
  name: string;
  entries: number;
  fromSecond: number;
  toSecond: number;
  key: string;
};

/** `damaged`: the part is in place but cannot be read. `setAside`: the engine found it broken and moved it out of the table. */
export type PartLoss = 'gone' | 'setAside' | 'damaged';

export type LostPart = RecordedPart & { loss: PartLoss };

export type Ledger = {
  /** The mark of the engine that has the parts; null if it had none yet. */
  engine: string | null;
  parts: readonly RecordedPart[];
  lost: readonly LostPart[];
  /** True while parts may be removed on purpose. Set before the first removal, and cleared after a look at what is left. */
  isRemoving: boolean;
  /** Names of lost parts that an operator has given up. */
  accepted: readonly string[];
};

const fileName = 'log-parts';
/** Lists lost parts that an operator has given up. A command writes the file, and the process with the ledger removes it. */
const acceptanceName = 'log-parts-accepted';

/** Returns a string that says why if there is no ledger. */
export async function readLedger(dataDir: string): Promise<Ledger | 'absent' | 'damaged'> {
  const text = await readIfThere(path.join(dataDir, fileName));
  if (text === null) return 'absent';
  const end = text.indexOf('\n');
  const content = text.slice(end + 1);
  if (text.slice(0, end) !== sum(content)) return 'damaged';
  return JSON.parse(content) as Ledger; // the checksum proves that `writeLedger` wrote it
}

/** Resolves once it survives a power cut. One writer at a time. */
export async function writeLedger(dataDir: string, ledger: Ledger): Promise<void> {
  const content = JSON.stringify(ledger);
  await replaceFile(path.join(dataDir, fileName), `${sum(content)}\n${content}`);
}

/** Returns the accepted parts, as `nameAcceptance` names them; null if none were accepted. */
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

/** Returns whether the engine set the part aside under this name, such as `broken-on-start_0-20261101_1_1_0`. */
export function isDetachedAs(name: string, part: string): boolean {
  return name === part || name.replace(/_try\d+$/, '').endsWith(`_${part}`);
}

async function replaceFile(file: string, content: string): Promise<void> {
  const draft = `${file}.draft`;
  await rm(draft, { force: true }); // left by a writer that was killed
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
