/** A disk of a few megabytes that can be filled up, for tests: in memory, mounted by root or in a namespace of its own. */
import { spawnSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from './service.ts';

type SmallDisk = AsyncDisposable & {
  /** The path as a process started by the launcher sees it. */
  path: string;
  /** A command that becomes the program behind it; see `startProcess`. */
  launcher: readonly string[];
  /** Takes all the room that is left on the disk of the process. */
  fill(processId: number): Promise<void>;
  /** Gives it back. */
  makeRoom(processId: number): Promise<void>;
};

const chunkBytes = 256 * 1024;

export async function makeSmallDisk(megabytes: number): Promise<SmallDisk> {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await makeDirectory()).path;
  const mount = ['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory];
  const isMounted = spawnSync(mount[0]!, mount.slice(1), { stdio: 'ignore' }).status === 0;
  if (isMounted) opened.defer(() => void spawnSync('umount', ['-l', directory]));
  // Who may not mount here may do so in a namespace of their own, where the system lets them have one.
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

/** To the last page. */
async function fillUp(file: string): Promise<void> {
  await using handle = await open(file, 'a');
  for (let bytes = chunkBytes; bytes >= 1; bytes = Math.floor(bytes / 4)) {
    try {
      for (;;) await handle.appendFile(Buffer.alloc(bytes, 1));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error; // as all errors of the file system
    }
  }
}
