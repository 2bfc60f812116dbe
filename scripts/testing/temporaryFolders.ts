/**
 * Makes temporary folders for tests, in memory if the machine has enough. Tests create and delete tens of thousands of files, and ext4 without a
 * journal checks each recently deleted file before it creates one.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';

const memoryPlace = '/dev/shm';
const spareBytesMin = 8 * 1024 ** 3; // the most that six files keep, and the memory of their engines
const linuxMin = [6, 6] as const; // the first version with user attributes on files in memory, which OpenStack Swift needs

/** Folders to remove when the process ends, for whatever reason. */
const present = new Set<string>();
process.once('exit', () => {
  for (const directory of present) {
    try {
      removeTemporary(directory);
    } catch {} // engines that were just killed still write for a moment; the other files are removed
  }
});

export function makeTemporary(): string {
  const directory = mkdtempSync(join(choosePlace(), 'tapedeck-tests-'));
  present.add(directory);
  chmodSync(directory, 0o755); // engines under a separate account must reach the files inside
  return directory;
}

export function removeTemporary(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  present.delete(directory);
}

/** Respects a `TMPDIR` that is set. */
function choosePlace(): string {
  return process.env.TMPDIR === undefined && isFit() ? memoryPlace : tmpdir();
}

function isFit(): boolean {
  if (process.platform !== 'linux' || !isRecent(release())) return false;
  try {
    const options = findMount(readFileSync('/proc/self/mounts', 'utf8'));
    if (options === undefined || options.includes('noexec') || options.includes('ro')) return false;
    const { bavail, bsize } = statfsSync(memoryPlace);
    return Math.min(bavail * bsize, process.availableMemory()) >= spareBytesMin;
  } catch {
    return false; // the system does not list its mounts
  }
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number.parseFloat);
  return major > linuxMin[0] || (major === linuxMin[0] && minor >= linuxMin[1]);
}

/** Returns the mount's options if it is in memory. */
function findMount(mounts: string): string[] | undefined {
  const lines = mounts.split('\n').map(line => line.split(' '));
  const last = lines.findLast(([, place]) => place === memoryPlace); // the last mount hides the others
  return last?.[2] === 'tmpfs' ? last[3]?.split(',') : undefined;
}
