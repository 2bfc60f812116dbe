/** Values that the parsers of LogQL find in bodies. */
import { RE2JS } from 're2js';
import { type MemberField, readMember } from './members.ts';
import { type PairField, readPair } from './pairs.ts';

/** What a group of an RE2 expression captures in the body. Absent if the expression does not match. */
export type CaptureField = { readonly kind: 'capture'; readonly expression: string; readonly group: number };

/** Can be absent, unlike other fields. */
export type ExtractedField = MemberField | PairField | CaptureField;

export function isExtracted(field: { readonly kind: string }): field is ExtractedField {
  return ['member', 'pair', 'capture'].includes(field.kind);
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
  }
}

/** Names the field for users. */
export function nameExtracted(field: ExtractedField): string {
  return field.kind === 'capture' ? JSON.stringify(field.expression) : field.key;
}
