/** Formats messages that say which entries were lost with parts of an embedded engine, and what to do. */
import { LogStoreFailure } from '../../failures.ts';
import type { LostPart, PartLoss, RecordedPart } from './ledgerFile.ts';

const namedMax = 5; // names per sentence; `tapedeck verify` lists all
const retryAfterSeconds = 60; // an operator must act

const losses: Readonly<Record<PartLoss, string>> = {
  gone: 'its directory is gone',
  setAside: 'the engine found it broken and set it aside in its folder `detached`',
  damaged: 'its bytes are damaged',
};

const advice =
  'Stop the service and restore the parts from a backup of the disk, or run `tapedeck adopt --missing-parts` to continue without them.';

function sumEntries(parts: readonly RecordedPart[]): number {
  return parts.reduce((sum, { entries }) => sum + entries, 0);
}

export function describePart({ name, entries, loss, ...times }: LostPart): string {
  return `${name}: ${losses[loss]}, with ${count(entries, 'log entry', 'log entries')} ${describeSpan([times])}`;
}

/** `sentence` is for the operator; null if nothing is lost. */
export type LogLoss = { parts: number; entries: number; sentence: string | null };

export function summarizeLoss(lost: readonly LostPart[]): LogLoss {
  return { parts: lost.length, entries: sumEntries(lost), sentence: describeLoss(lost) };
}

function describeLoss(lost: readonly LostPart[]): string | null {
  if (lost.length === 0) return null;
  const names = lost.slice(0, namedMax).map(({ name }) => name);
  const more = lost.length - names.length;
  const list = more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
  return (
    `${count(sumEntries(lost), 'log entry is', 'log entries are')} missing, ${describeSpan(lost)}: ` +
    `${count(lost.length, 'part', 'parts')} of the log engine cannot be read (${list}). ` +
    `${advice} Queries for these times are refused.`
  );
}

/** Returns the error for a query about times in which entries are missing. */
export function refuseQuestion(lost: readonly LostPart[]): LogStoreFailure {
  const sentence =
    `${count(sumEntries(lost), 'log entry is', 'log entries are')} missing that may match, ${describeSpan(lost)}: ` +
    'parts of the log engine are gone or damaged. `tapedeck verify` names them. Restore them from a backup of the disk, or run ' +
    '`tapedeck adopt --missing-parts` to continue without them. Queries for other times still work.';
  return new LogStoreFailure('engine_unavailable', sentence, { retryAfterSeconds });
}

function describeSpan(parts: readonly Pick<RecordedPart, 'fromSecond' | 'toSecond'>[]): string {
  const from = Math.min(...parts.map(({ fromSecond }) => fromSecond));
  const to = Math.max(...parts.map(({ toSecond }) => toSecond));
  return `from ${formatSecond(from)} to ${formatSecond(to)}`;
}

function formatSecond(second: number): string {
  return new Date(second * 1000).toISOString().replace('.000Z', 'Z');
}

function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
