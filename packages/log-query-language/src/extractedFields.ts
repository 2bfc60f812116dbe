/** Values that the parsers of LogQL find in bodies. */
import { RE2JS } from 're2js';
import { type AmountUnit, convertAmount } from './amounts.ts';
import { type MemberField, readMember } from './members.ts';
import { type PairField, readPair } from './pairs.ts';

/** What a group of an RE2 expression captures in the body. Absent if the expression does not match. */
export type CaptureField = { readonly kind: 'capture'; readonly expression: string; readonly group: number };

type FoundField = MemberField | PairField | CaptureField;

/** The duration or size that a text means, as a number. '' if the text has an unusual spelling or means none. */
export type AmountField = { readonly kind: 'amount'; readonly field: FoundField; readonly unit: AmountUnit };

/** Like metadata, and unlike other fields, it can be absent. */
export type ExtractedField = FoundField | AmountField;

export function isExtracted(field: { readonly kind: string }): field is ExtractedField {
  return ['member', 'pair', 'capture', 'amount'].includes(field.kind);
}

export function readExtracted(body: string, field: ExtractedField): string | undefined {
  switch (field.kind) {
    case 'member':
      return readMember(body, field.key);
    case 'pair':
      return readPair(body, field.key);
    case 'capture': {
      const matcher = RE2JS.compile(field.expression).matcher(body);
      return matcher.find() ? (matcher.group(field.group) ?? '') : undefined;
    }
    case 'amount': {
      const text = readExtracted(body, field.field);
      return text === undefined ? undefined : convertAmount(text, field.unit);
    }
  }
}

/** Names the field for users. */
export function formatExtractedField(field: ExtractedField): string {
  if (field.kind === 'amount') return formatExtractedField(field.field);
  return field.kind === 'capture' ? JSON.stringify(field.expression) : field.key;
}
