/**
 * Folders for what tests keep for a while: in memory where the machine has enough of it. Tests make and delete files by the ten thousand,
 * and ext4 without a journal looks at each file that was deleted within minutes before it makes one.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';

const memoryPlace = '/dev/shm';
const spareBytesMin = 8 * 1024 ** 3; // what six files keep at most, and the memory of their engines
const linuxMin = [6, 6] as const; // since then files in memory have attributes of users, as OpenStack Swift needs

/** Folders that still exist are removed when the process ends, for whatever reason. */
const present = new Set<string>();
process.once('exit', () => {
  for (const directory of present) {
    try {
      removeTemporary(directory);
    } catch {} // engines that were just killed write for a moment more; the others go all the same
  }
});

export function makeTemporary(): string {
  const directory = mkdtempSync(join(choosePlace(), 'tapedeck-tests-'));
  present.add(directory);
  chmodSync(directory, 0o755); // engines under an account of their own must get at what lies inside
  return directory;
}

export function removeTemporary(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  present.delete(directory);
}

/** A `TMPDIR` that is set is respected. */
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
    return false; // a system that tells nothing of its mounts
  }
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number.parseFloat);
  return major > linuxMin[0] || (major === linuxMin[0] && minor >= linuxMin[1]);
}

/** The mount's options, if it is in memory. */
function findMount(mounts: string): string[] | undefined {
  const lines = mounts.split('\n').map(line => line.split(' '));
  const last = lines.findLast(([, place]) => place === memoryPlace); // what is mounted over others is seen
  return last?.[2] === 'tmpfs' ? last[3]?.split(',') : undefined;
}
