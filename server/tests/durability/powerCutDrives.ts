/**
 * Drives whose power can be cut, on loop devices in a separate mount namespace. Each is an ext4 in a file on an XFS that acts as the drive's
 * volatile cache, in a file on an XFS that acts as the medium. A cut is a reflink clone of the file on the medium, made while everything runs:
 * data that no flush has written there is lost. README.md says what that proves. Needs root.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

/** The content of a drive when its power was cut, or while idle. */
export type Snapshot = {
  /** Mounts a drive that starts with this content; the snapshot stays unchanged. */
  mount(): Promise<Drive>;
  remove(): Promise<void>;
};

export type Drive = AsyncDisposable & {
  /** The path that processes behind the launcher see. */
  path: string;
  /** The path that this process sees. */
  seen: string;
  /** A command that execs the program given to it, which ends with this process. */
  launcher: readonly string[];
  cut(): Promise<Snapshot>;
};

export type Vault = AsyncDisposable & {
  /** Makes an empty drive. */
  format(): Promise<Drive>;
  /** Runs a shell script in the namespace of the drives. */
  run(script: string): Promise<void>;
};

const mediumMegabytes = 12_000; // sparse: uses no space until written
const imageMegabytes = 1900;
const driveMegabytes = 1536;

/**
 * The file system writes nothing earlier than it must: no commit every five seconds, no flush of files renamed over others, and sizes may be
 * stored before the bytes.
 */
const careless = 'loop,commit=300,noauto_da_alloc,data=writeback';

export async function openVault(): Promise<Vault> {
  await using opened = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(tmpdir(), 'tapedeck-cuts-'));
  opened.defer(() => rm(directory, { recursive: true }));
  const namespace = opened.use(await openNamespace());
  const { run } = namespace;
  const medium = path.join(directory, 'medium');
  // Once mounted the file needs no name, and disappears when unmounted.
  await run(`cd ${directory}; mkdir medium; truncate -s ${mediumMegabytes}M file; mkfs.xfs -q -K -m reflink=1 file
    mount -o loop file medium; rm file`);
  let count = 0;
  const name = () => path.join(medium, `image-${++count}`);
  const place = { directory, namespace, name };
  const running = opened.move();
  return {
    run,
    format: async () => {
      const image = name();
      await run(`truncate -s ${imageMegabytes}M ${image}; mkfs.xfs -q -K ${image}
        cd ${directory}; mkdir new; mount -o loop,nouuid ${image} new; fallocate -l ${driveMegabytes}M new/drive
        mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard new/drive; umount new; rmdir new`);
      return await mountDrive(place, image);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type Place = {
  directory: string;
  namespace: Awaited<ReturnType<typeof openNamespace>>;
  /** Returns a new name for an image. */
  name(): string;
};

async function mountDrive(place: Place, image: string): Promise<Drive> {
  const { launcher, run, root } = place.namespace;
  const cache = path.join(place.directory, `cache-of-${path.basename(image)}`);
  const mounted = path.join(place.directory, `drive-of-${path.basename(image)}`);
  await run(`mkdir ${cache} ${mounted}; mount -o loop,nouuid ${image} ${cache}
    mount -o ${careless} ${cache}/drive ${mounted}`);
  return {
    path: mounted,
    seen: path.join(root, mounted),
    launcher,
    cut: async () => {
      const copy = place.name();
      await run(`cp --reflink=always ${image} ${copy}`);
      return openSnapshot(place, copy);
    },
    // An engine left running may write for a moment; loop devices are freed when their last user ends.
    [Symbol.asyncDispose]: () => run(`umount -l ${mounted}; umount -l ${cache}; rm ${image}`),
  };
}

function openSnapshot(place: Place, image: string): Snapshot {
  return {
    mount: async () => {
      const copy = place.name();
      await place.namespace.run(`cp --reflink=always ${image} ${copy}`);
      return await mountDrive(place, copy);
    },
    remove: () => place.namespace.run(`rm ${image}`),
  };
}

/** Opens a namespace whose mounts and loop devices end with it, even if this process is killed, because its keeper reads from it. */
async function openNamespace() {
  const keeper = spawn(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-c', 'echo begun; exec cat'],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  const complained = text(keeper.stderr);
  const begun = await Promise.race([
    once(createInterface({ input: keeper.stdout }), 'line').then(() => true),
    once(keeper, 'close').then(() => false),
  ]);
  assert.ok(begun, `The power cut tests need root for mounts: ${begun ? '' : await complained}`);
  const enter = ['nsenter', `--mount=/proc/${keeper.pid}/ns/mnt`];
  return {
    root: `/proc/${keeper.pid}/root`,
    launcher: [...enter, 'setpriv', '--pdeathsig', 'KILL'],
    run: async (script: string): Promise<void> => {
      const [command = '', ...args] = [...enter, 'sh', '-ec', script];
      const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
      assert.equal(status, 0, `Power cuts need loop devices, XFS and ext4: ${said}`);
    },
    [Symbol.asyncDispose]: async () => {
      const end = once(keeper, 'close');
      keeper.stdin.end();
      await end;
    },
  };
}
