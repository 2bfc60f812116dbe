/** Cuts the power of a service's drive again and again under load. After every cut the service starts on what the drive still holds. */
import { setTimeout as wait } from 'node:timers/promises';
import { startProcess } from '../support/tapedeck.ts';
import { type CutResult, type CutRounds, checkAll, checkAtRest, noCuts, untilBusy } from './cutChecks.ts';
import { isMerging, killService, settingsOn, signIn } from './installation.ts';
import { addAcknowledged, type LoadTarget, noneAcknowledged, startLoad } from './load.ts';
import type { Drive, Vault } from './powerCutDrives.ts';

const loadMsMin = 300;
const loadMsSpan = 1_200; // before a cut, so that it meets groups, inserts and merges at every stage
const mergeMsMax = 2_000;

/** Every other cut waits until the engine is merging. */
export async function cutUnderLoad(vault: Vault, { cuts, tell }: CutRounds): Promise<CutResult> {
  const known = noneAcknowledged();
  const result = noCuts();
  let target: LoadTarget | null = null;
  let drive = await vault.format();
  try {
    for (let round = 0; ; round++) {
      await using service = await startProcess(settingsOn(drive), drive.launcher);
      target = await signIn(service.url, target);
      if (round > 0) {
        await checkAll({ target, known, result });
        tell?.(
          `${round} cuts under load: ${result.entries} entries, ${result.files} files, ${result.faults.length} faults`,
        );
      }
      if (round === cuts) {
        await checkAtRest(drive, service, result);
        return result;
      }
      using load = startLoad(target, { prefix: `cut${round}` });
      await untilBusy(load);
      await wait(loadMsMin + ((round * 137) % loadMsSpan));
      const isWithin = round % 2 === 1 && (await untilMerging(drive));
      addAcknowledged(known, load.acknowledged());
      const snapshot = await drive.cut();
      await Promise.all([load.stop(), killService(service)]);
      await drive[Symbol.asyncDispose]();
      drive = await snapshot.mount();
      await snapshot.remove();
      result.cuts += 1;
      result.within += Number(isWithin);
    }
  } finally {
    await drive[Symbol.asyncDispose]();
  }
}

async function untilMerging(drive: Drive): Promise<boolean> {
  for (const deadline = performance.now() + mergeMsMax; performance.now() < deadline; )
    if (await isMerging(drive)) return true;
  return false;
}
