/** Cuts the power during and right after backups and restores: one reported as done is whole, and any other can be repeated. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../../src/config.ts';
import { startProcess } from '../support/tapedeck.ts';
import {
  type CutResult,
  type CutRounds,
  checkAll,
  checkAtRest,
  copyAcknowledged,
  noCuts,
  untilBusy,
} from './cutChecks.ts';
import { beginCommand, killService, runOn, settingsOn, signIn } from './installation.ts';
import { type Acknowledged, addAcknowledged, type LoadTarget, startLoad } from './load.ts';
import type { Drive, Snapshot, Vault } from './powerCutDrives.ts';

const loadMs = 1_000;
const commandMsMin = 1_000;

/** Up to a quarter longer than the command takes, so that some cuts come right after its end. */
const choosePauseMs = (commandMs: number) => Math.random() * 1.25 * commandMs;

const folderOn = (drive: Drive, name: string) => path.join(drive.path, name);

type Installation = { snapshot: Snapshot; target: LoadTarget; known: Acknowledged };

/** Makes an installation with a backup and no running service. */
async function makeInstallation(vault: Vault): Promise<Installation> {
  await using drive = await vault.format();
  await using service = await startProcess(settingsOn(drive), drive.launcher);
  const target = await signIn(service.url);
  using load = startLoad(target, { prefix: 'first' });
  await untilBusy(load);
  await wait(loadMs);
  await load.stop();
  const known = load.acknowledged();
  await runOn(drive, settingsOn(drive), ['backup', folderOn(drive, 'first')]);
  const snapshot = await drive.cut();
  await killService(service);
  return { snapshot, target, known };
}

/** Makes backups beside a service under load, alternating between full ones and additions to an existing one. */
export async function cutDuringBackups(vault: Vault, { cuts, tell }: CutRounds): Promise<CutResult> {
  const result = noCuts();
  const first = await makeInstallation(vault);
  let commandMs = commandMsMin;
  for (let round = 0; round < cuts; round++) {
    const folder = round % 2 === 0 ? 'second' : 'first';
    const known = copyAcknowledged(first.known);
    const before = await first.snapshot.mount();
    const cut = await cutBackup(before, { target: first.target, known, folder, commandMs });
    await using drive = await cut.snapshot.mount();
    await cut.snapshot.remove();
    result.cuts += 1;
    result.within += Number(!cut.isDone);
    await using service = await startProcess(settingsOn(drive), drive.launcher);
    const target = { ...first.target, url: service.url };
    const saved = cut.isDone ? cut.saved : copyAcknowledged(known);
    await checkAll({ target, known, result });
    const startedAt = performance.now();
    if (!cut.isDone) await runOn(drive, settingsOn(drive), ['backup', folderOn(drive, folder)]);
    commandMs = cut.isDone ? commandMs : performance.now() - startedAt;
    await checkAtRest(drive, service, result);
    const restored = { ...settingsOn(drive), TAPEDECK_DATA_DIR: path.join(drive.path, 'restored') };
    await runOn(drive, restored, ['restore', folderOn(drive, folder)]);
    await using again = await startProcess(restored, drive.launcher);
    const restoredTarget = await signIn(again.url);
    await checkAll({ target: restoredTarget, known: withoutUploads(saved), result, keptKeys: false });
    tell?.(`${round + 1} cuts within backups: ${result.faults.length} faults`);
  }
  await first.snapshot.remove();
  return result;
}

type BackupCut = { target: LoadTarget; known: Acknowledged; folder: string; commandMs: number };

/** `saved` was acknowledged before the backup began. Adds to `known` what was acknowledged before the cut. */
async function cutBackup(drive: Drive, { target, known, folder, commandMs }: BackupCut) {
  await using service = await startProcess(settingsOn(drive), drive.launcher);
  using load = startLoad({ ...target, url: service.url }, { prefix: 'second' });
  await untilBusy(load);
  const saved = copyAcknowledged(known);
  addAcknowledged(saved, load.acknowledged());
  const backup = beginCommand(drive, settingsOn(drive), ['backup', folderOn(drive, folder)]);
  await Promise.race([wait(choosePauseMs(commandMs)), backup.end]);
  const isDone = backup.child.exitCode !== null;
  addAcknowledged(known, load.acknowledged());
  const snapshot = await drive.cut();
  backup.child.kill('SIGKILL');
  const { exitCode, complained } = await backup.end;
  if (isDone) assert.equal(exitCode, 0, complained);
  await Promise.all([load.stop(), killService(service)]);
  await drive[Symbol.asyncDispose]();
  return { snapshot, saved, isDone };
}

/** Backups leave out unfinished uploads. */
const withoutUploads = (known: Acknowledged): Acknowledged => ({ ...known, uploads: new Map() });

/** Restores into an empty data directory, on the drive that holds the backup. */
export async function cutDuringRestores(vault: Vault, { cuts, tell }: CutRounds): Promise<CutResult> {
  const result = noCuts();
  const first = await makeInstallation(vault);
  let commandMs = commandMsMin;
  for (let round = 0; round < cuts; round++) {
    const before = await first.snapshot.mount();
    const settings = (drive: Drive) => ({
      ...settingsOn(drive),
      TAPEDECK_DATA_DIR: path.join(drive.path, 'restored'),
    });
    const words = (drive: Drive) => ['restore', folderOn(drive, 'first')];
    const begun = beginCommand(before, settings(before), words(before));
    await Promise.race([wait(choosePauseMs(commandMs)), begun.end]);
    const isDone = begun.child.exitCode !== null;
    const snapshot = await before.cut();
    begun.child.kill('SIGKILL');
    const { exitCode, complained } = await begun.end;
    if (isDone) assert.equal(exitCode, 0, complained);
    await before[Symbol.asyncDispose]();
    await using drive = await snapshot.mount();
    await snapshot.remove();
    result.cuts += 1;
    result.within += Number(!isDone);
    const startedAt = performance.now();
    if (!isDone) await repeatRestore(drive, settings(drive), words(drive));
    commandMs = isDone ? commandMs : performance.now() - startedAt;
    await using service = await startProcess(settings(drive), drive.launcher);
    const known = withoutUploads(copyAcknowledged(first.known));
    await checkAll({ target: await signIn(service.url), known, result, keptKeys: false });
    tell?.(`${round + 1} cuts within restores: ${result.faults.length} faults`);
  }
  await first.snapshot.remove();
  return result;
}

/** If the cut restore had already finished, the directory is full, and whole. */
async function repeatRestore(drive: Drive, settings: Environment, args: readonly string[]): Promise<void> {
  const { exitCode, complained } = await beginCommand(drive, settings, args).end;
  if (exitCode !== 0) assert.match(complained, /restore into an empty one/);
}
