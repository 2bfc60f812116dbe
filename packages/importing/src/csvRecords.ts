/**
 * Records of CSV (RFC 4180) out of bytes: quoted cells may hold separators and line breaks. A quote that is never closed would take
 * everything behind it, so its line is read as if it had no quotes.
 */

/** `endsAt`: the byte behind the record. */
type CsvRecord = { cells: string[]; endsAt: number };

const recordBytesMax = 1024 * 1024; // with quotes; far more than the service takes as one entry
const separators = [',', ';', '\t'] as const;

/** Picks the candidate that occurs most often in the first line. */
export function findSeparator(bytes: Buffer): string {
  const line = bytes.toString('latin1').split('\n', 1)[0] ?? '';
  const counts = separators.map(separator => line.split(separator).length);
  return separators[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Whole records; what is cut off at the end is left, unless it is the end of the file. */
export function readRecords(
  bytes: Buffer,
  { separator, isEnd }: { separator: string; isEnd: boolean },
): CsvRecord[] {
  const text = bytes.toString('latin1'); // a character for each byte
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  let begunAt = 0;
  const lastQuoteAt = isEnd ? text.lastIndexOf('"') : text.length;
  let unquotedAt = -1; // start of the line that is read without quotes
  const endCell = () => {
    cells.push(Buffer.from(cell, 'latin1').toString('utf8'));
    cell = '';
  };
  const ends: readonly (string | undefined)[] = [separator, '\r', '\n', undefined]; // what may follow a cell
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (isQuoted) {
      const isQuote = character === '"';
      if (isQuote && at + 1 === text.length && !isEnd) break; // perhaps the first of two
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
