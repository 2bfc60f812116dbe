/** Writes names and values as the query language expects them. */
import { type Field, nameField, printQuery } from '@tapedeck/log-query-language';
import { makeTerm } from '../queryFilters.ts';

/** Writes a field's name with its colon: `player.id:`, `"odd name":`. */
export function writeName(field: Field): string {
  return field.kind === 'level' ? 'level:' : printQuery(makeTerm(nameField(field), 'x')).slice(0, -1);
}

/** Quotes the value if needed, which is more often inside a list. */
export function writeValue(field: Field, value: string, isInList: boolean): string {
  const term = makeTerm(nameField(field), value);
  const start = writeName(field).length;
  if (!isInList || term.kind !== 'field') return printQuery(term).slice(start);
  const pair = printQuery({ ...term, values: [...term.values, ...term.values] }).slice(start);
  return pair.slice(1, (pair.length - 1) / 2);
}

/** Reads the typed part of a value or name, without its opening quote. */
export function readWritten(written: string, isQuoted: boolean): string {
  return isQuoted ? written.slice(1).replaceAll(/\\(["\\])/g, '$1') : written;
}
