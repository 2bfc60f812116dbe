/**
 * The machine loses power during `migrate-to`, under load, while the target stores on other machines stay up. The test stops all local processes
 * before the cut; otherwise the stores would know of a later time than the drive.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../../src/config.ts';
import { startSharedStores } from '../logs/sharedJournal.ts';
import { beginMove, stopNow } from '../support/moveProcess.ts';
import { startProcess } from '../support/tapedeck.ts';
import { type CutResult, type CutRounds, checkAll, noCuts, untilBusy } from './cutChecks.ts';
import { killService, settingsOn, signIn } from './installation.ts';
import { type Acknowledged, addAcknowledged, type LoadTarget, noneAcknowledged, startLoad } from './load.ts';
import type { Drive, Vault } from './powerCutDrives.ts';

const cutsOfAMove = 10;
const copyingMsMax = 4_000; // after the mover has begun; a pass takes a second or two

export async function cutDuringMoves(vault: Vault, { cuts, tell }: CutRounds): Promise<CutResult> {
  const result = noCuts();
  while (result.cuts < cuts) {
    const wanted = Math.min(cutsOfAMove, cuts - result.cuts);
    await cutMove(vault, { wanted, result });
    tell?.(`${result.cuts} cuts within moves: ${result.faults.length} faults`);
  }
  return result;
}

type Move = { wanted: number; result: CutResult };

async function cutMove(vault: Vault, { wanted, result }: Move): Promise<void> {
  await using stores = await startSharedStores(1);
  const { TAPEDECK_SECRET: _, TAPEDECK_LOGS_TOKEN: __, ...targets } = stores.settings();
  const known = noneAcknowledged();
  let drive = await vault.format();
  let target: LoadTarget | null = null;
  try {
    for (let round = 0; round < wanted; round++) {
      const cut: MoveCut = { drive, targets, known, target, result, round, isLast: round === wanted - 1 };
      const { snapshot, ...after } = await cutOnce(cut);
      target = after.target;
      await drive[Symbol.asyncDispose]();
      drive = await snapshot.mount();
      await snapshot.remove();
    }
    assert.ok(target);
    await checkMoved(drive, { targets, target, known, result });
  } finally {
    await drive[Symbol.asyncDispose]();
  }
}

type MoveCut = {
  drive: Drive;
  targets: Environment;
  known: Acknowledged;
  target: LoadTarget | null;
  result: CutResult;
  round: number;
  /** The last cut of this move falls after the service has stopped. */
  isLast: boolean;
};

async function cutOnce({ drive, targets, known, target: former, result, round, isLast }: MoveCut) {
  await using service = await startProcess(settingsOn(drive), drive.launcher);
  const target = await signIn(service.url, former);
  if (round > 0) await checkAll({ target, known, result });
  using load = startLoad(target, { prefix: `move${round}` });
  await untilBusy(load);
  await using move = beginMove({ ...settingsOn(drive), ...targets }, drive.launcher);
  if (isLast) {
    await load.stop();
    addAcknowledged(known, load.acknowledged());
    await move.says(stopNow);
    service.child.kill('SIGTERM');
    await service.exit;
    await wait(Math.random() * copyingMsMax);
  } else await Promise.race([move.exit, wait(Math.random() * copyingMsMax)]);
  const isWithin = move.child.exitCode === null;
  for (const { child } of [service, move]) child.kill('SIGSTOP');
  addAcknowledged(known, load.acknowledged());
  const snapshot = await drive.cut();
  move.child.kill('SIGKILL');
  await Promise.all([load.stop(), killService(service)]);
  result.cuts += 1;
  result.within += Number(isWithin);
  return { snapshot, target };
}

type Moved = { targets: Environment; target: LoadTarget; known: Acknowledged; result: CutResult };

/** Finishes the move without a service, then checks the data at its target. */
async function checkMoved(drive: Drive, { targets, target, known, result }: Moved): Promise<void> {
  await using move = beginMove({ ...settingsOn(drive), ...targets }, drive.launcher);
  const { exitCode } = await move.exit;
  assert.equal(exitCode, 0, move.said.join('\n'));
  const secret = (await readFile(path.join(drive.seen, 'data', 'secret'), 'utf8')).trim();
  const settings = { ...settingsOn(drive), ...targets, TAPEDECK_SECRET: secret };
  await using service = await startProcess(settings, drive.launcher);
  await checkAll({ target: { ...target, url: service.url }, known, result });
}
