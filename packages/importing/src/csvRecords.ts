/**
 * Reads CSV records (RFC 4180) from bytes: quoted cells may hold separators and line breaks. An unclosed quote would take the rest of the file, so
 * its line is read as if it had no quotes.
 */

/** `endsAt`: the byte after the record. */
type CsvRecord = { cells: string[]; endsAt: number };

const recordBytesMax = 1024 * 1024; // with quotes; far larger than any entry the service accepts
const separators = [',', ';', '\t'] as const;

/** Picks the candidate that occurs most often in the first line. */
export function findSeparator(bytes: Buffer): string {
  const line = bytes.toString('latin1').split('\n', 1)[0] ?? '';
  const counts = separators.map(separator => line.split(separator).length);
  return separators[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Reads whole records. Leaves an incomplete one for the next call, unless the file ends there. */
export function readRecords(
  bytes: Buffer,
  { separator, isEnd }: { separator: string; isEnd: boolean },
): CsvRecord[] {
  const text = bytes.toString('latin1'); // one character per byte
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  let begunAt = 0;
  const lastQuoteAt = isEnd ? text.lastIndexOf('"') : text.length;
  let unquotedAt = -1; // start of a line to read without quotes
  const endCell = () => {
    cells.push(Buffer.from(cell, 'latin1').toString('utf8'));
    cell = '';
  };
  const ends: readonly (string | undefined)[] = [separator, '\r', '\n', undefined]; // what may follow a cell
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (isQuoted) {
      const isQuote = character === '"';
      if (isQuote && at + 1 === text.length && !isEnd) break; // it may be the first quote of a pair
      if (isQuote && text[at + 1] === '"') {
        cell += '"';
        at++;
      } else if (isQuote && ends.includes(text[at + 1])) isQuoted = false;
      else if (isQuote || at > lastQuoteAt || at - begunAt > recordBytesMax) {
        [unquotedAt, at] = [begunAt, begunAt - 1];
        [cells, cell, isQuoted] = [[], '', false];
      } else cell += character;
    } else if (character === '"' && cell === '' && begunAt !== unquotedAt) isQuoted = true;
    else if (character === separator) endCell();
    else if (character === '\n') {
      if (cell.endsWith('\r')) cell = cell.slice(0, -1);
      endCell();
      records.push({ cells, endsAt: at + 1 });
      [cells, begunAt] = [[], at + 1];
    } else cell += character;
  }
  if (isEnd && begunAt < text.length) {
    endCell();
    records.push({ cells, endsAt: text.length });
  }
  return records;
}
