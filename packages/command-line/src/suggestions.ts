/** Suggests commands for words that name none. */
import type { CommandWords } from './commandMatching.ts';

const slipsMax = 2; // wrong letters in a word; with more, another word was probably meant

/** Lists the commands with the nearest names; for a group (`token`), all of its commands. None if nothing is near. */
export function suggestCommands(commands: readonly CommandWords[], words: readonly string[]): string[] {
  const ranked = commands
    .map(({ name }) => ({ name, slips: countSlips(name.split(' '), words) }))
    .filter(({ slips }) => slips < Number.POSITIVE_INFINITY);
  const fewest = Math.min(...ranked.map(({ slips }) => slips));
  return ranked.filter(({ slips }) => slips === fewest).map(({ name }) => name);
}

/** Returns how many letters differ. An unknown second word counts like a missing one. */
function countSlips([first = '', second]: readonly string[], [given = '', next]: readonly string[]): number {
  const slips = countEdits(first, given);
  if (slips > slipsMax) return Number.POSITIVE_INFINITY;
  if (second === undefined || next === undefined) return slips + slipsMax + 1;
  const further = countEdits(second, next);
  return slips + (further > slipsMax ? slipsMax + 1 : further);
}

/** Counts letters to add, drop or change (Levenshtein distance). */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let at = 0; at < to.length; at++) {
      const changed = (row[at] ?? 0) + (letter === to[at] ? 0 : 1);
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
