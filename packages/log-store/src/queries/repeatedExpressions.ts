/**
 * Names expressions that a SELECT writes several times, such as the value of a member that is a key and stands in conditions, too. The engine notices that
 * they are equal only after it has planned each one.
 */

const lengthMin = 40; // shorter ones are planned quickly
const selectLengthMax = 200_000; // a hundred times the usual; taking it apart takes some milliseconds

/** A call of a function; `end` is exclusive. */
type Call = { start: number; end: number; text: string };

/** An open bracket. Calls in lambdas and subqueries get no names, because a name would be known elsewhere, without their columns. */
type Group = { start: number; isCall: boolean; isClosedOff: boolean; isInLambda: boolean };

/** Writes such an expression once, with a name, and then only the name: `e0`, or the one that the SELECT gives it already. */
export function nameRepeated(select: string): string {
  if (select.length > selectLengthMax) return select;
  const calls = listCalls(select);
  const counts = new Map<string, number>();
  for (const { text } of calls) counts.set(text, (counts.get(text) ?? 0) + 1);
  const repeated = calls.filter(({ text }) => counts.get(text) !== 1);
  // A call comes before those in its arguments.
  return writeNamed(
    select,
    repeated.toSorted((one, other) => one.start - other.start),
  );
}

function writeNamed(select: string, repeated: readonly Call[]): string {
  const names = new Map<string, string>();
  const open: { end: number; name: string }[] = []; // calls that get a name where they end, the inner ones last
  const pieces: string[] = [];
  let at = 0;
  const writeTo = (end: number) => {
    for (let inner = open.at(-1); inner !== undefined && inner.end <= end; inner = open.at(-1)) {
      pieces.push(select.slice(at, inner.end), ` AS ${inner.name})`);
      at = inner.end;
      open.pop();
    }
    pieces.push(select.slice(at, end));
    at = end;
  };
  for (const { start, end, text } of repeated) {
    if (start < at) continue; // within a call that became a name
    writeTo(start);
    const known = names.get(text);
    const given = /^ AS (\w+)/.exec(select.slice(end, end + 40))?.[1];
    const name = known ?? given ?? `e${names.size}`;
    names.set(text, name);
    if (known !== undefined) {
      pieces.push(known);
      at = end;
    } else if (given === undefined) {
      pieces.push('(');
      open.push({ end, name });
    }
  }
  writeTo(select.length);
  return pieces.join('');
}

const tokens = /'(?:[^'\\]|\\.|'')*'|([a-zA-Z_]\w*)?\((?:SELECT\b)?|[[)\],]| -> /gs;

/** Lists the calls that can get a name. Operators have a blank before a bracket, so they are no calls. */
function listCalls(select: string): Call[] {
  const calls: Call[] = [];
  const groups: Group[] = [];
  for (const { 0: token, 1: name, index } of select.matchAll(tokens)) {
    const group = groups.at(-1);
    if (token === ')' || token === ']') {
      groups.pop();
      if (group !== undefined) addCall(calls, select, { group, end: index + 1 });
    } else if (token === ',' || token === ' -> ') {
      if (group !== undefined) group.isInLambda = token !== ',';
    } else if (!token.startsWith("'")) {
      const isClosedOff =
        token.endsWith('SELECT') || group?.isClosedOff === true || group?.isInLambda === true;
      groups.push({ start: index, isCall: name !== undefined, isClosedOff, isInLambda: false });
    }
  }
  return calls;
}

function addCall(calls: Call[], select: string, { group, end }: { group: Group; end: number }): void {
  const { start, isCall, isClosedOff } = group;
  // An aggregate function with parameters has a second list of arguments.
  if (isCall && !isClosedOff && end - start >= lengthMin && select[end] !== '(')
    calls.push({ start, end, text: select.slice(start, end) });
}
