/** Logs each lost part once, and those that are back or were accepted. */
import type { Logger } from '../../logger.ts';
import { type Ledger, nameAcceptance } from './ledgerFile.ts';
import { describePart } from './lossMessages.ts';

const linesMax = 20;

export class LossAnnouncements {
  readonly #log: Logger;
  readonly #told = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  logChanges(before: Ledger, next: Ledger): void {
    const log = this.#log;
    const left = new Set(next.lost.map(nameAcceptance));
    const back = before.lost.filter(
      part => !left.has(nameAcceptance(part)) && !next.accepted.includes(part.name),
    );
    for (const { name, entries } of back.slice(0, linesMax))
      log.info({ part: name, entries }, 'a part of the log table that was missing is back');
    const lost = next.lost.filter(part => !this.#told.has(nameAcceptance(part)));
    for (const part of lost) this.#told.add(nameAcceptance(part));
    for (const part of lost.slice(0, linesMax))
      log.error(
        { part: part.name, entries: part.entries },
        `log entries are missing: part ${describePart(part)}. Stop the service and restore the part from a backup of the disk, ` +
          'or run `tapedeck adopt --missing-parts` to continue without it',
      );
    if (lost.length > linesMax)
      log.error(
        { parts: lost.length },
        `${lost.length - linesMax} more parts are missing: \`tapedeck verify\` names all`,
      );
    const accepted = next.accepted.length - before.accepted.length;
    if (accepted > 0)
      log.warn({ parts: accepted }, 'missing parts of the log table were accepted; continuing without them');
  }
}
