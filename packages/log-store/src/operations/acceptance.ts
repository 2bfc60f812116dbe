/** Accepts the loss of parts, so that the service continues without them. A command requests it; the process with the ledger does it. */
import { setTimeout as wait } from 'node:timers/promises';
import { isAcceptancePending, readLedger, writeAcceptance } from '../writer/ledger/ledgerFile.ts';
import { describePart } from '../writer/ledger/lossMessages.ts';
import type { LogsConfig } from '../writer/servers/addresses.ts';

/** `sentences`: one for each part. */
type LostParts = { parts: number; entries: number; sentences: string[]; accept(): Promise<void> };

const waitMsMax = 15_000; // a running service looks every five seconds
const retryMs = 100;

/** Finds lost parts that the service, or a command with its engine, has noticed. `accept` resolves once the decision is stored. */
export async function findLostParts(config: LogsConfig, dataDir: string): Promise<LostParts> {
  const ledger = config.kind === 'embedded' ? await readLedger(dataDir) : 'absent';
  const lost = typeof ledger === 'string' ? [] : ledger.lost;
  return {
    parts: lost.length,
    entries: lost.reduce((sum, { entries }) => sum + entries, 0),
    sentences: lost.map(describePart),
    accept: () => writeAcceptance(dataDir, lost),
  };
}

/** Resolves to true once the service has accepted the loss, or to false if it did not in time: a stopped service will when it starts. */
export async function waitUntilAccepted(dataDir: string): Promise<boolean> {
  const deadline = performance.now() + waitMsMax;
  while (await isAcceptancePending(dataDir)) {
    if (performance.now() > deadline) return false;
    await wait(retryMs);
  }
  return true;
}
