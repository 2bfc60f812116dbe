/** Formats access to fields of entries in statements. */
import {
  type ComposedField,
  type ComposedPiece,
  type Field,
  isExtracted,
  type ParsedField,
} from '@tapedeck/log-query-language';
import type { Binder } from '../writer/engine/statements.ts';
import { foldColumn } from '../writer/schema/folding.ts';
import { formatExtracted } from './extractedFields.ts';

/** Formats the value at a path, `''` if it is absent, and whether it is present. */
export function formatPath(path: string, binder: Binder): { value: string; isPresent: string } {
  if (path === '') {
    // In a Map with LowCardinality keys, the engine (26.7) treats an empty key as absent.
    const value = "arrayFirst((value, path) -> path = '', mapValues(metadata), mapKeys(metadata))";
    return { value, isPresent: "arrayExists(path -> path = '', mapKeys(metadata))" };
  }
  const key = binder.bind('String', path);
  return { value: `metadata[${key}]`, isPresent: `mapContainsKey(metadata, ${key})` };
}

/** Formats the id as `composeTraceId` does. */
const traceId = formatTraceId();

function formatTraceId(): string {
  const micros = 'toUnixTimestamp64Micro(timestamp)';
  const hex = (number: string, digits: number) =>
    `right(concat('${'0'.repeat(digits)}', lower(hex(${number}))), ${digits})`;
  const millis = hex(`toUInt64(intDiv(${micros}, 1000))`, 12);
  return `concat(${millis}, '7', ${hex(`toUInt16(${micros} % 1000)`, 3)}, ${hex('identity', 16)})`;
}

/** The pattern of entries stored by earlier versions. */
export const unknownPattern = '0'.repeat(16);
export const patternText = "leftPad(lower(hex(pattern)), 16, '0')";

/** Formats the text of a field, `''` if it is absent, and the folded text. */
export function formatFieldText(
  field: Field | ParsedField,
  binder: Binder,
): { text: string; folded: string } {
  const text = formatText(field, binder);
  return { text, folded: foldColumn(text) };
}

function formatText(field: Field | ParsedField, binder: Binder): string {
  switch (field.kind) {
    case 'member':
    case 'pair':
    case 'capture':
    case 'amount':
      return formatExtracted(field, binder).value;
    case 'composed':
      return formatComposed(field, binder);
    case 'metadata':
      return formatPath(field.path, binder).value;
    case 'traceId':
      return traceId;
    case 'level':
      return 'toString(level)';
    case 'pattern':
      return patternText;
    default:
      return field.kind;
  }
}

function formatComposed({ pieces }: ComposedField, binder: Binder): string {
  const texts = pieces.map(piece => formatPiece(piece, binder));
  return texts.length > 1 ? `concat(${texts.join(', ')})` : (texts[0] ?? "''");
}

function formatPiece(piece: ComposedPiece, binder: Binder): string {
  if (piece.kind === 'text') return binder.bind('String', piece.text);
  const { fields, otherwise } = piece;
  const last = binder.bind('String', otherwise);
  return fields.reduceRight((rest, field) => {
    const { value, isPresent } = formatFound(field, binder);
    // An absent value is '' anyway.
    return isPresent === '1' || (rest === last && otherwise === '')
      ? value
      : `if(${isPresent}, ${value}, ${rest})`;
  }, last);
}

/** Formats the value of a field, '' if it is absent, and whether it is present. */
function formatFound(field: Field | ParsedField, binder: Binder): { value: string; isPresent: string } {
  if (isExtracted(field)) return formatExtracted(field, binder);
  if (field.kind === 'metadata') return formatPath(field.path, binder);
  const value = formatText(field, binder);
  return { value, isPresent: field.kind === 'composed' ? '1' : `${value} != ''` };
}
