/** Results of power cuts of one kind, and the checks of a service that starts on what the drive still holds. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ServiceProcess } from '../support/tapedeck.ts';
import { beginCommand, isMerging, listLeftovers, settingsOn } from './installation.ts';
import { type Acknowledged, addAcknowledged, type Load, type LoadTarget, noneAcknowledged } from './load.ts';
import { findLosses } from './lossCheck.ts';
import type { Drive } from './powerCutDrives.ts';

export type CutResult = {
  cuts: number;
  /** How many cuts fell within the phase under test: a merge, a start, a command. */
  within: number;
  /** Work that was checked after the last cut. */
  entries: number;
  files: number;
  tokens: number;
  /** Uploads finished after cuts, in total. */
  uploads: number;
  /** A sentence for each loss, duplicate, error or leftover. */
  faults: string[];
};

export type CutRounds = { cuts: number; tell?: ((line: string) => void) | undefined };

const progressMsMax = 60_000; // a start takes two seconds, but much longer on a busy machine

export function noCuts(): CutResult {
  return { cuts: 0, within: 0, entries: 0, files: 0, tokens: 0, uploads: 0, faults: [] };
}

export function copyAcknowledged(known: Acknowledged): Acknowledged {
  const copy = noneAcknowledged();
  addAcknowledged(copy, known);
  return copy;
}

type Asked = {
  target: LoadTarget;
  known: Acknowledged;
  result: CutResult;
  /** Whether the store still has the Idempotency-Keys of files. */
  keptKeys?: boolean;
};

/** No client may write meanwhile. Uploads in `known` are files afterwards. */
export async function checkAll({ target, known, result, keptKeys = true }: Asked): Promise<void> {
  const { faults, uploads, ...counts } = await findLosses(target, known, { keptKeys });
  Object.assign(result, counts);
  result.uploads += uploads;
  result.faults.push(...faults);
}

/** Checks leftovers in a data directory that a service has opened while no client writes. */
async function checkLeftovers(directory: string, result: CutResult): Promise<void> {
  result.faults.push(...(await listLeftovers(directory)).map(name => `left over: ${name}`));
}

/** Waits for the engine's last merge. One that takes longer than a stop leaves a folder, which the next start removes. */
async function untilMerged(drive: Drive): Promise<void> {
  const deadline = performance.now() + progressMsMax;
  while ((await isMerging(drive)) !== false) {
    assert.ok(performance.now() < deadline, 'the engine keeps merging');
    await wait(20);
  }
}

/** Stops the service, then checks that every record has its bytes and that they are correct. */
export async function checkAtRest(drive: Drive, service: ServiceProcess, result: CutResult): Promise<void> {
  await untilMerged(drive);
  service.child.kill('SIGTERM');
  assert.equal((await service.exit).exitCode, 0);
  await checkLeftovers(path.join(drive.seen, 'data'), result);
  type Verified = {
    findings: { problem: string }[];
    logs: { damaged: string[]; missing: { parts: string[] } };
  };
  const { end } = beginCommand(drive, settingsOn(drive), ['verify', '--json']);
  const { findings, logs } = JSON.parse((await end).printed) as Verified; // the command always prints this
  const wrong = findings.filter(({ problem }) => problem !== 'orphan'); // bytes without a record are no loss
  result.faults.push(
    ...wrong.map(finding => JSON.stringify(finding)),
    ...logs.damaged,
    ...logs.missing.parts,
  );
}

/** Waits until the service has acknowledged something of every kind. */
export async function untilBusy(load: Load): Promise<void> {
  const deadline = performance.now() + progressMsMax;
  for (;;) {
    const { batches, files, tokens, uploads } = load.acknowledged();
    const isUploading = [...uploads.values()].some(({ offset }) => offset > 0);
    if (batches.size > 0 && files.size > 0 && tokens.size > 0 && isUploading) return;
    const refused = JSON.stringify([...load.refusals]);
    assert.ok(performance.now() < deadline, `not all clients get responses: ${refused}`);
    await wait(20);
  }
}
