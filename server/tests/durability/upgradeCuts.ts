/** Cuts the power while this version starts on the previous version's data, also after a cut under load. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { beginProcess, startProcess } from '../support/tapedeck.ts';
import { unpackPrevious } from '../versions/previousVersion.ts';
import {
  type CutResult,
  type CutRounds,
  checkAll,
  checkAtRest,
  copyAcknowledged,
  noCuts,
  untilBusy,
} from './cutChecks.ts';
import { killService, settingsOn, signIn } from './installation.ts';
import { type Acknowledged, type LoadTarget, startLoad } from './load.ts';
import type { Snapshot, Vault } from './powerCutDrives.ts';

const loadMs = 3_000;
const startMsMin = 500;

type Old = { snapshot: Snapshot; target: LoadTarget; known: Acknowledged; keptKeys: boolean };

export async function cutDuringUpgrades(vault: Vault, { cuts, tell }: CutRounds): Promise<CutResult> {
  const result = noCuts();
  const old = await loadPrevious(vault);
  let startMs = startMsMin;
  for (let round = 0; round < cuts; round++) {
    const known = copyAcknowledged(old.known);
    const before = await old.snapshot.mount();
    const upgrade = beginProcess(settingsOn(before), before.launcher);
    await wait(Math.random() * startMs);
    const isWithin = !upgrade.lines.some(line => line.includes('"ready"'));
    const snapshot = await before.cut();
    await killService(upgrade);
    await before[Symbol.asyncDispose]();
    await using drive = await snapshot.mount();
    await snapshot.remove();
    result.cuts += 1;
    result.within += Number(isWithin);
    const startedAt = performance.now();
    await using service = await startProcess(settingsOn(drive), drive.launcher);
    startMs = performance.now() - startedAt;
    const target = { ...old.target, url: service.url };
    await checkAll({ target, known, result, keptKeys: old.keptKeys });
    await checkAtRest(drive, service, result);
    tell?.(`${round + 1} cuts within upgrades: ${result.faults.length} faults`);
  }
  await old.snapshot.remove();
  return result;
}

/** Cuts the power under the older version as well. */
async function loadPrevious(vault: Vault): Promise<Old> {
  await using previous = await unpackPrevious();
  await using drive = await vault.format();
  await using service = await startProcess(settingsOn(drive), drive.launcher, previous.program);
  const target = await signIn(service.url);
  using load = startLoad(target, { prefix: 'older' });
  await untilBusy(load);
  await wait(loadMs);
  const known = load.acknowledged();
  const snapshot = await drive.cut();
  await Promise.all([load.stop(), killService(service)]);
  return { snapshot, target, known, keptKeys: await keepsUploadKeys(previous.program) };
}

/** Whether the version has a table for upload keys. */
async function keepsUploadKeys(program: string): Promise<boolean> {
  const folder = path.dirname(program);
  const names = (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.js'));
  const texts = await Promise.all(names.map(name => readFile(path.join(folder, name), 'utf8')));
  return texts.some(text => text.includes('upload_keys'));
}
