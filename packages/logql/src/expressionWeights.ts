/**
 * Estimates the cost of compiling an expression: about one per instruction of its program. `a{0,1000}` has nine characters and two
 * thousand instructions; compiling a hundred of them took two seconds.
 */

export const charactersMax = 4_096;
export const weightMax = 10_000; // for an expression, or all expressions of a query: about twenty milliseconds
const repetitionsMax = 1_000; // RE2 accepts no more
const repeat = /\{(\d+)(,(\d*))?\}/y;

/** `category`: of `\p{L}`, which stands for hundreds of ranges. `character`: of one character in a range. */
type ClassWeights = { category: number; character: number };

const plainWeights: ClassWeights = { category: 100, character: 0 };
// Without case, RE2JS looks up the other forms of each character: `(?i)[B-\x{1e942}]` took twenty milliseconds.
const foldingWeights: ClassWeights = { category: 1_000, character: 1 / 25 };
const ignoresCase = /\(\?[A-Za-z]*i/; // behind a minus, as in `(?-i)`, the flag is off

/** Repeating the group multiplies `size`, repeating its last element multiplies `last`, and `cost` counts once. */
type Group = { cost: number; size: number; last: number };

/** Infinite for an expression of too many characters. */
export function weighExpression(source: string): number {
  if (source.length > charactersMax) return Number.POSITIVE_INFINITY;
  const weights = ignoresCase.test(source) ? foldingWeights : plainWeights;
  let group: Group = { cost: 0, size: 0, last: 0 };
  const outer: Group[] = [];
  const add = (cost: number, size: number) => {
    group.cost += cost;
    group.size += size;
    group.last = size;
  };
  for (let at = 0; at < source.length; at++)
    switch (source[at]) {
      case '\\':
        if (source[at + 1] === 'Q') at = quote(source, at, add);
        else {
          add(isClass(source, at) ? weights.category : 0, 1);
          at = findEscapeEnd(source, at);
        }
        break;
      case '[': {
        const end = findClassEnd(source, at);
        add(weighClass(source.slice(at, end), weights), 1);
        at = end;
        break;
      }
      case '(':
        outer.push(group);
        group = { cost: 0, size: 2, last: 0 };
        break;
      case ')': {
        const { cost, size } = group;
        group = outer.pop() ?? { cost: 0, size: 0, last: 0 };
        add(cost, size);
        break;
      }
      case '{':
        at += multiply(group, source, at);
        break;
      default:
        add(0, 1);
    }
  return [...outer, group].reduce((sum, { cost, size }) => sum + cost + size, 0);
}

/** Multiplies the last element. Returns the repetition's further characters; without a valid repetition, the bracket is literal. */
function multiply(group: Group, source: string, at: number): number {
  repeat.lastIndex = at;
  const found = repeat.exec(source);
  if (found === null) {
    group.size++;
    group.last = 1;
    return 0;
  }
  const [all, least = '', comma, most] = found;
  if (Number(least) > repetitionsMax || Number(most) > repetitionsMax) return all.length - 1; // compiling it fails
  const fewest = Number(least);
  const upTo = comma === undefined ? fewest : most ? Number(most) : fewest + 1;
  const size = group.last * Math.max(fewest + 2 * (upTo - fewest), 1); // an optional element takes one more instruction
  group.size += size - group.last;
  group.last = size;
  return all.length - 1;
}

const bracedEscape = /\\[xpP]\{[^}]*\}?/y;

/** Returns the index of the last character of an escape. The braces of `\x{41}` and `\p{L}` repeat nothing. */
function findEscapeEnd(source: string, at: number): number {
  bracedEscape.lastIndex = at;
  return bracedEscape.test(source) ? bracedEscape.lastIndex - 1 : at + 1;
}

function isClass(source: string, at: number): boolean {
  return source[at + 1] === 'p' || source[at + 1] === 'P';
}

/** Finds the end of a class. A closing bracket at its start is literal. */
function findClassEnd(source: string, start: number): number {
  const first = start + (source[start + 1] === '^' ? 2 : 1);
  for (let at = first; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === ']' && at > first) return at;
    else if (source.startsWith('[:', at)) {
      const end = source.indexOf(':]', at + 2);
      if (end >= 0) at = end + 1;
    }
  }
  return source.length;
}

function weighClass(text: string, { category, character }: ClassWeights): number {
  const categories = text.match(/\\[pP]/g)?.length ?? 0;
  return text.length + category * categories + (character === 0 ? 0 : character * countInRanges(text));
}

const element = /\\x\{[0-9a-f]+\}|\\x[0-9a-f]{2}|\\.|./gisu;
const foldedCodesMax = 0x1e943; // no character behind it has another form
const escapedCodesMax = 0x1ff; // other escapes are at most three octal digits

function countInRanges(text: string): number {
  const elements = text.match(element) ?? [];
  let count = 0;
  for (let at = 1; at < elements.length - 1; at++) {
    if (elements[at] !== '-') continue;
    const last = Math.min(readCode(elements[at + 1]!, escapedCodesMax), foldedCodesMax);
    count += Math.max(last - readCode(elements[at - 1]!, 0), 0);
  }
  return count;
}

/** Returns `otherwise` for an escape that is not a hexadecimal code. */
function readCode(text: string, otherwise: number): number {
  const [, code] = /^\\x\{?([0-9a-f]+)/i.exec(text) ?? [];
  if (code !== undefined) return Number.parseInt(code, 16);
  return text.length > 1 && text.startsWith('\\') ? otherwise : (text.codePointAt(0) ?? otherwise);
}

/** Adds a text between `\Q` and `\E`, where all signs are literal. Returns the index of its last character. */
function quote(source: string, at: number, add: (cost: number, size: number) => void): number {
  const end = source.indexOf('\\E', at + 2);
  const length = (end < 0 ? source.length : end) - at - 2;
  for (let count = 0; count < length; count++) add(0, 1);
  return end < 0 ? source.length : end + 1;
}
