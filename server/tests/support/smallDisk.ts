/** A disk of a few megabytes that tests can fill: in memory, mounted by root or in a new namespace. */
import { spawnSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from './service.ts';

type SmallDisk = AsyncDisposable & {
  /** The path that a process started by the launcher sees. */
  path: string;
  /** A command that execs the program given to it; see `startProcess`. */
  launcher: readonly string[];
  /** Uses up all free space on the process's disk. */
  fill(processId: number): Promise<void>;
  /** Frees the space again. */
  makeRoom(processId: number): Promise<void>;
};

const chunkBytes = 256 * 1024;

export async function makeSmallDisk(megabytes: number): Promise<SmallDisk> {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await makeDirectory()).path;
  const mount = ['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory];
  const isMounted = spawnSync(mount[0]!, mount.slice(1), { stdio: 'ignore' }).status === 0;
  if (isMounted) opened.defer(() => void spawnSync('umount', ['-l', directory]));
  // Without the right to mount here, mounts in a new namespace where the system allows it.
  const script = `${mount.join(' ')} && exec "$@"`;
  const launcher = isMounted
    ? []
    : ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh'];
  const seen = (processId: number) =>
    isMounted ? directory : path.join(`/proc/${processId}/root`, directory);
  const running = opened.move();
  return {
    path: directory,
    launcher,
    fill: processId => fillUp(path.join(seen(processId), 'filler')),
    makeRoom: processId => rm(path.join(seen(processId), 'filler'), { force: true }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Fills the disk to the last page. */
async function fillUp(file: string): Promise<void> {
  await using handle = await open(file, 'a');
  for (let bytes = chunkBytes; bytes >= 1; bytes = Math.floor(bytes / 4)) {
    try {
      for (;;) await handle.appendFile(Buffer.alloc(bytes, 1));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error; // file system errors have a code
    }
  }
}
