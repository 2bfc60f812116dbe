/** Power cuts under a whole service; README.md explains the method. `npm run bench power-cuts` makes two hundred. Mounting needs root. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { cutUnderLoad } from './cutsUnderLoad.ts';
import { openVault } from './powerCutDrives.ts';

const removalMsMax = 60_000;

const vault = await openVault();
after(() => vault[Symbol.asyncDispose]());

const first = Buffer.alloc(4096, 'a');

/** Returns what a drive still has of a file that was synced and then overwritten, and of one that was only written. */
async function cutAfterWrites(): Promise<{ synced: Buffer; written: Buffer }> {
  await using drive = await vault.format();
  const at = (name: string, on = drive) => path.join(on.seen, name);
  await using synced = await open(at('synced'), 'w');
  await synced.writeFile(first);
  await synced.sync();
  await vault.run(`sync -f ${drive.path}`); // syncs the name too
  await writeFile(at('written'), first);
  const overwrite = `dd if=/dev/zero of=${drive.path}/synced bs=4096 count=1 oflag=direct conv=notrunc,nocreat`;
  await vault.run(overwrite); // the drive has it in its cache
  const snapshot = await drive.cut();
  await using left = await snapshot.mount();
  const written = await readFile(at('written', left)).catch(() => Buffer.alloc(0));
  return { synced: await readFile(at('synced', left)), written };
}

test('a drive that loses power keeps what was synced, and loses what was only written', async () => {
  let left = await cutAfterWrites();
  // The kernel may write back at any time, and does so soon while other programs write much.
  for (let more = 2; more > 0 && !left.synced.equals(first); more--) left = await cutAfterWrites();
  assert.deepEqual(left, { synced: first, written: Buffer.alloc(0) });
});

test('a killed test leaves no loop device behind', async () => {
  const script = `const { openVault } = await import(${JSON.stringify(path.join(import.meta.dirname, 'powerCutDrives.ts'))});
    console.log((await (await openVault()).format()).path);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [mounted]: string[] = await once(createInterface({ input: child.stdout }), 'line');
  const directory = path.dirname(mounted!);
  const listLoops = () =>
    spawnSync('losetup', ['--list', '--noheadings', '--output', 'BACK-FILE'], { encoding: 'utf8' }).stdout;
  assert.ok(listLoops().includes(directory));
  child.kill('SIGKILL');
  for (const deadline = performance.now() + removalMsMax; listLoops().includes(directory); await wait(20))
    assert.ok(performance.now() < deadline, 'the loop devices are removed with it');
  await rm(directory, { recursive: true }); // fails if anything is still mounted there
});

test('a service that loses power under load has everything that it acknowledged, once', async () => {
  const { cuts, faults, entries, files, tokens, uploads } = await cutUnderLoad(vault, { cuts: 4 });
  assert.deepEqual({ cuts, faults }, { cuts: 4, faults: [] });
  assert.ok(Math.min(entries, files, tokens, uploads) > 0, 'something of every kind was acknowledged');
});
