/** Checks that every part of the log table holds the bytes that were written: the engine knows the checksum of each file. */

import { queryRows } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { listBroken } from '../../writer/ledger/brokenRemains.ts';
import { classifyParts } from '../../writer/ledger/comparison.ts';
import { isDetachedAs, type LostPart, readLedger } from '../../writer/ledger/ledgerFile.ts';
import { describePart } from '../../writer/ledger/lossMessages.ts';
import { listPresentParts } from '../../writer/ledger/presentParts.ts';
import { localTable } from '../../writer/schema/schema.ts';

/** `missing`: parts that no longer exist, with entries that were acknowledged. */
type LogVerification = {
  entries: number;
  parts: number;
  damaged: string[];
  missing: { parts: string[]; entries: number };
};

const checkTimeSecondsMax = 0; // as long as it takes to read everything

/** Lists parts that the engine found broken at start and runs without. */
async function listSetAside(access: EngineAccess, known: readonly string[]): Promise<string[]> {
  return (await listBroken(access))
    .filter(({ name }) => !known.some(part => isDetachedAs(name, part)))
    .map(({ name, reason }) => `${name}: set aside by the engine (${reason})`);
}

/** `dataDir` belongs to an embedded engine; null for external servers, whose parts are in no list. */
export async function verifyLogs(
  shards: readonly EngineAccess[],
  dataDir: string | null = null,
): Promise<LogVerification> {
  const { lost, accepted } = await findLostNow(shards, dataDir);
  const known = [...lost.map(({ name }) => name), ...accepted];
  const result: LogVerification = { entries: 0, parts: 0, damaged: [], missing: { parts: [], entries: 0 } };
  result.missing.parts = lost.map(describePart);
  result.missing.entries = lost.reduce((sum, { entries }) => sum + entries, 0);
  for (const access of shards) {
    const settings = { check_query_single_value_result: 0, max_execution_time: checkTimeSecondsMax };
    const rows = await queryRows(access, { sql: `CHECK TABLE ${localTable}`, settings });
    for (const [part, isGood, message] of rows) {
      result.parts += 1;
      if (!isGood || Number(isGood) === 0) result.damaged.push(`${part}: ${message}`);
    }
    result.damaged.push(...(await listSetAside(access, known)));
    const [counted] = await queryRows(access, { sql: `SELECT count() FROM ${localTable}` });
    result.entries += Number(counted?.[0] ?? 0);
  }
  return result;
}

/** Compares again, because the service may not have looked since a part vanished. Reading the parts finds damaged ones. */
async function findLostNow(
  [access]: readonly EngineAccess[],
  dataDir: string | null,
): Promise<{ lost: LostPart[]; accepted: readonly string[] }> {
  const ledger = dataDir === null ? 'absent' : await readLedger(dataDir);
  if (typeof ledger === 'string' || access === undefined) return { lost: [], accepted: [] };
  const present = await listPresentParts(access);
  const isThere = (part: LostPart) =>
    present.some(({ name, key, isActive }) => isActive && name === part.name && key === part.key);
  const before = ledger.lost.filter(part => part.loss !== 'damaged' && !isThere(part));
  const since = classifyParts(ledger.parts, present).filter(({ fate }) => fate === 'lost');
  return {
    lost: [...before, ...since.map(({ part }) => ({ ...part, loss: 'gone' as const }))],
    accepted: ledger.accepted,
  };
}
