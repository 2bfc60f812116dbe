/**
 * The mark on the engine in the data directory says whose entries it holds, and which engine the data directory had
 * before. An engine without its mark was emptied or replaced, so acknowledged entries are missing. Marks are files, so
 * that they can be read without an engine.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { readMarkFile, syncDirectory, writeMarkFile } from '@tapedeck/durable-files';
import { newId } from '@tapedeck/values/random-ids';

export type EnginePlace = { dataDir: string; directory: string };

/** A mark is an installation and a name that no other engine has. */
type EngineMarks = { mark: string | null; remembered: string | null };

/** In the data directory, because the engine's own directory may get lost. */
const memoryName = 'log-engine';

export async function readEngineMarks({ dataDir, directory }: EnginePlace): Promise<EngineMarks> {
  const [mark, remembered] = await Promise.all([readMarkFile(directory), readMarkFile(dataDir, memoryName)]);
  return { mark, remembered };
}

/** Remembers the engine's mark, and gives it one if it has none. */
export async function markEngine(
  { dataDir, directory }: EnginePlace,
  { mark, installationId }: { mark: string | null; installationId: string },
): Promise<void> {
  const text = mark ?? `${installationId} ${newId()}`;
  if (mark === null) await writeMarkFile(directory, text);
  await writeMarkFile(dataDir, text, memoryName);
}

/** Treats the current contents as new: the service's next look marks them, even if they are empty. */
export async function forgetEngineMarks({ dataDir, directory }: EnginePlace): Promise<void> {
  await forgetMark(directory);
  await rm(path.join(dataDir, memoryName), { force: true });
  await syncDirectory(dataDir);
}

/** Removes the mark from a directory whose table is gone. */
export async function forgetMark(directory: string): Promise<void> {
  await rm(path.join(directory, 'installation'), { force: true });
}

export function readInstallation(mark: string | null): string | null {
  return mark?.split(' ', 1)[0] ?? null;
}
