/**
 * Estimates the cost of compiling an expression: about one per instruction of its program. `a{0,1000}` has nine characters and two
 * thousand instructions; compiling a hundred of them took two seconds.
 */

export const weightMax = 10_000; // for an expression, or all expressions of a query: about twenty milliseconds
const classWeight = 100; // `\p{L}` stands for hundreds of ranges
const repeat = /\{(\d+)(,(\d*))?\}/y;

/** Repeating the group multiplies `size`, repeating its last element multiplies `last`, and `cost` counts once. */
type Group = { cost: number; size: number; last: number };

export function weighExpression(source: string): number {
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
        add(isClass(source, at++) ? classWeight : 0, 1);
        break;
      case '[': {
        const end = findClassEnd(source, at);
        add(weighClass(source.slice(at, end)), 1);
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
  const fewest = Number(least);
  const upTo = comma === undefined ? fewest : most ? Number(most) : fewest + 1;
  const size = group.last * Math.max(fewest + 2 * (upTo - fewest), 1); // an optional element takes one more instruction
  group.size += size - group.last;
  group.last = size;
  return all.length - 1;
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

function weighClass(text: string): number {
  return text.length + classWeight * (text.match(/\\[pP]/g)?.length ?? 0);
}
