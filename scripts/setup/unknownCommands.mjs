/**
 * Answers unknown commands before anything is installed. Same as `findCommand` and `suggestCommands` in packages/command-line and
 * `describeUnknown` in the service, which Node.js 20 cannot read; a test compares them.
 */
const slipsMax = 2; // wrong letters in a word; with more, another word was probably meant

export function findCommand(commands, words) {
  return commands.find(name => name.split(' ').every((word, index) => words[index] === word));
}

export function describeUnknown(commands, words) {
  const near = suggestCommands(commands, words).map(name => `\`tapedeck ${name}\``);
  const meant = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : '`tapedeck help` lists them.';
  return `There is no command "${words.slice(0, 2).join(' ')}". ${meant}`;
}

function suggestCommands(commands, words) {
  const ranked = commands
    .map(name => ({ name, slips: countSlips(name.split(' '), words) }))
    .filter(({ slips }) => slips < Number.POSITIVE_INFINITY);
  const fewest = Math.min(...ranked.map(({ slips }) => slips));
  return ranked.filter(({ slips }) => slips === fewest).map(({ name }) => name);
}

function countSlips([first = '', second], [given = '', next]) {
  const slips = countEdits(first, given);
  if (slips > slipsMax) return Number.POSITIVE_INFINITY;
  if (second === undefined || next === undefined) return slips + slipsMax + 1;
  const further = countEdits(second, next);
  return slips + (further > slipsMax ? slipsMax + 1 : further);
}

/** Counts letters to add, drop or change (Levenshtein distance). */
function countEdits(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let at = 0; at < to.length; at++) {
      const changed = row[at] + (letter === to[at] ? 0 : 1);
      next.push(Math.min(changed, row[at + 1] + 1, next[at] + 1));
    }
    row = next;
  }
  return row[to.length];
}
