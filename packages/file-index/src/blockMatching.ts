/** Matches all files of a block against a query at once. Gives exactly the results of matching files one by one. */

import {
  compileComparison,
  type FieldValue,
  type FileFieldName,
  type FileQuery,
  type FileTerm,
  matchesParts,
} from '@tapedeck/log-query-language';
import { foldCase } from '@tapedeck/values/case-folding';
import { type Block, type BlockColumns, findRow, type NumberColumn, type PathColumn } from './block.ts';
import type { FileTimes } from './fileQueries.ts';
import type { BlockMasks } from './matchCache.ts';
import type { Mask, SharedColumn, TextColumn } from './textColumn.ts';

/** Blocks hold ids and keys folded, so the caller looks up the whole ids and keys of a query first. */
export type NamedFile = { readonly position: number; readonly id: string; readonly key: string };
export type BlockContext = { readonly named: readonly NamedFile[] };

export type BlockMatcher = (columns: BlockColumns) => Mask;

/** Marks the files that match and still exist. Reuses the mask in `known` if the block has one. */
export function matchBlock(
  { columns, deleted }: Block,
  matchers: readonly BlockMatcher[],
  known: BlockMasks,
): Mask {
  const matched = known.get(columns) ?? conjoin(columns, matchers);
  known.set(columns, matched);
  return deleted === null ? matched : matched.map((mark, index) => (deleted[index] === 1 ? 0 : mark));
}

function conjoin(columns: BlockColumns, matchers: readonly BlockMatcher[]): Mask {
  const [first, ...others] = matchers;
  const mask = first === undefined ? new Uint8Array(columns.count).fill(1) : first(columns);
  for (const matches of others) {
    if (!mask.includes(1)) return mask;
    const other = matches(columns);
    for (let index = 0; index < mask.length; index++) mask[index] = (mask[index] ?? 0) & (other[index] ?? 0);
  }
  return mask;
}

export function compileBlockMatcher(query: FileQuery, context: BlockContext): BlockMatcher {
  switch (query.kind) {
    case 'and': {
      const matchers = query.trees.map(tree => compileBlockMatcher(tree, context));
      return columns => conjoin(columns, matchers);
    }
    case 'or': {
      const matchers = query.trees.map(tree => compileBlockMatcher(tree, context));
      return columns =>
        unite(
          columns,
          matchers.map(matches => matches(columns)),
        );
    }
    case 'not': {
      const matches = compileBlockMatcher(query.tree, context);
      return columns => {
        const mask = matches(columns);
        for (let index = 0; index < mask.length; index++) mask[index] = 1 - (mask[index] ?? 0);
        return mask;
      };
    }
    default:
      return compileTerm(query, context);
  }
}

function unite({ count }: BlockColumns, masks: readonly Mask[]): Mask {
  const [mask = new Uint8Array(count), ...others] = masks;
  for (const other of others)
    for (let index = 0; index < count; index++) mask[index] = (mask[index] ?? 0) | (other[index] ?? 0);
  return mask;
}

function compileTerm(term: FileTerm, context: BlockContext): BlockMatcher {
  switch (term.kind) {
    case 'everything':
      return columns => new Uint8Array(columns.count).fill(1);
    case 'text': {
      const holds = compileBareText([foldCase(term.text)]);
      const isNamed = ({ id, key }: NamedFile) => id === term.text || key === term.text;
      return columns => markNamed(columns, context.named.filter(isNamed), holds(columns));
    }
    case 'textParts':
      return compileBareText(term.parts.map(foldCase));
    case 'field': {
      const matchers = term.values.map(value => compileValue(term.field, value, context));
      const [only, ...others] = matchers;
      if (only !== undefined && others.length === 0) return only;
      return columns =>
        unite(
          columns,
          matchers.map(matches => matches(columns)),
        );
    }
    case 'compare': {
      const holds = compileComparison(term.operator, term.number);
      const mark = (texts: TextColumn) => texts.markNumbers(holds);
      const { field } = term;
      if (field.kind === 'metadata') return columns => markNumbersAt(columns, field.path, holds);
      return columns => markField(columns, field.kind, { mark, markNumber: holds, whole: null });
    }
  }
}

function compileBareText(parts: readonly string[]): BlockMatcher {
  return columns => {
    const { names, shared, values, paths } = columns;
    const mask = names.markHolding(parts);
    spread(shared.path, shared.path.texts.markHolding(parts), mask);
    const meant = values.markHolding(parts);
    if (meant.includes(1)) for (const { rows, ids } of paths.values()) spreadRows(rows, ids, { meant, mask });
    return mask;
  };
}

function compileValue(
  field: Extract<FileTerm, { kind: 'field' }>['field'],
  value: FieldValue,
  context: BlockContext,
): BlockMatcher {
  const isPath = field.kind === 'metadata';
  const forms = compileForms(value, isPath);
  if (isPath) return columns => markPath(columns, field.path, forms);
  if ((field.kind === 'id' || field.kind === 'key') && value.kind !== 'parts') {
    const { kind } = field;
    if (value.kind === 'present') return columns => new Uint8Array(columns.count).fill(1);
    const isNamed = (file: NamedFile) => file[kind] === value.text;
    return columns => markNamed(columns, context.named.filter(isNamed), new Uint8Array(columns.count));
  }
  return columns => markField(columns, field.kind, forms);
}

/** The same condition for texts and for numbers, where NaN counts as an empty text. */
type ValueForms = {
  mark(texts: TextColumn): Mask;
  markNumber(number: number): boolean;
  /** The whole text that the query asks for, or null. */
  whole: string | null;
};

function compileForms(value: FieldValue, isPath: boolean): ValueForms {
  if (value.kind === 'present') {
    // A path exists even if its value is empty.
    const mark = (texts: TextColumn) => (isPath ? new Uint8Array(texts.count).fill(1) : texts.markFilled());
    return { mark, markNumber: found => !Number.isNaN(found), whole: null };
  }
  if (value.kind === 'equals') {
    const number = Number(value.text);
    const isSpelled = value.text !== '' && String(number) === value.text;
    return {
      whole: value.text,
      mark: texts => texts.markEqual(value.text),
      markNumber: found => (Number.isNaN(found) ? value.text === '' : isSpelled && found === number),
    };
  }
  const parts = value.parts.map(foldCase);
  return {
    whole: null,
    mark: texts => texts.markMatching(parts),
    markNumber: found => !Number.isNaN(found) && matchesParts(String(found), parts),
  };
}

function markPath({ count, values, paths }: BlockColumns, path: string, { mark, whole }: ValueForms): Mask {
  const mask = new Uint8Array(count);
  const column = paths.get(path);
  if (column === undefined || (whole !== null && !column.hashes.mayHold(whole))) return mask;
  const meant = mark(values);
  if (meant.includes(1)) spreadRows(column.rows, column.ids, { meant, mask });
  return mask;
}

/** Reads only the numbers at the path, because most other texts aren't numbers. */
function markNumbersAt(
  { count, values, paths }: BlockColumns,
  path: string,
  holds: (number: number) => boolean,
): Mask {
  const mask = new Uint8Array(count);
  const column = paths.get(path);
  if (column === undefined) return mask;
  const { rows, ids } = column;
  for (let index = 0; index < rows.length; index++) {
    const number = values.numberAt(ids[index] ?? 0);
    if (!Number.isNaN(number) && holds(number)) mask[rows[index] ?? 0] = 1;
  }
  return mask;
}

function markField(columns: BlockColumns, kind: FileFieldName, forms: ValueForms): Mask {
  switch (kind) {
    case 'name':
      return forms.mark(columns.names);
    case 'path':
    case 'type':
    case 'mimeType':
    case 'exempt': {
      const column = columns.shared[kind];
      return spread(column, forms.mark(column.texts), new Uint8Array(columns.count));
    }
    case 'size':
    case 'width':
    case 'height':
    case 'duration':
      return markNumbers(columns.numbers[kind], forms);
    case 'id':
    case 'key':
      return forms.mark(columns.keys[kind]);
  }
}

function markNumbers(numbers: NumberColumn, forms: ValueForms): Mask {
  const mask = new Uint8Array(numbers.length);
  for (let index = 0; index < numbers.length; index++)
    if (forms.markNumber(numbers[index] ?? Number.NaN)) mask[index] = 1;
  return mask;
}

function markNamed(columns: BlockColumns, named: readonly NamedFile[], mask: Mask): Mask {
  for (const { position } of named) {
    const index = findRow(columns, position);
    if (index >= 0) mask[index] = 1;
  }
  return mask;
}

function spread({ ids }: SharedColumn, meant: Mask, mask: Mask): Mask {
  if (!meant.includes(1)) return mask;
  for (let index = 0; index < ids.length; index++) if (meant[ids[index] ?? 0] === 1) mask[index] = 1;
  return mask;
}

function spreadRows(
  rows: Uint16Array,
  ids: PathColumn['ids'],
  { meant, mask }: { meant: Mask; mask: Mask },
): void {
  for (let index = 0; index < rows.length; index++)
    if (meant[ids[index] ?? 0] === 1) mask[rows[index] ?? 0] = 1;
}

/** Both ends are included. */
export function matchTimes({ fromMs, toMs }: FileTimes): BlockMatcher {
  return ({ count, listedAt }) => {
    const mask = new Uint8Array(count);
    for (let index = 0; index < count; index++) {
      const ms = listedAt[index] ?? Number.NaN;
      if (ms >= (fromMs ?? ms) && ms <= (toMs ?? ms)) mask[index] = 1;
    }
    return mask;
  };
}

/** Matches files in a folder and its subfolders. */
export function matchFolder(folder: string): BlockMatcher {
  return columns => {
    const { path } = columns.shared;
    const meant = path.texts.markEach(index => {
      const text = path.texts.plain(index);
      return text === folder || text.startsWith(`${folder}/`);
    });
    return spread(path, meant, new Uint8Array(columns.count));
  };
}
