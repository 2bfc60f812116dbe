/** Texts composed of fixed parts and field values, as simple templates of LogQL write them. */
import type { Field } from './fields.ts';
import type { MemberField } from './members.ts';

/** A text, or the value of the first of the fields that an entry has; without any, `otherwise`. */
export type ComposedPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly fields: readonly (Field | ParsedField)[]; readonly otherwise: string };

/** The pieces one after the other. Every entry has this field, possibly as `''`. */
export type ComposedField = { readonly kind: 'composed'; readonly pieces: readonly ComposedPiece[] };

/** A field of a query that reads bodies as JSON. */
export type ParsedField = MemberField | ComposedField;

export function isParsedField(field: { readonly kind: string }): field is ParsedField {
  return field.kind === 'member' || field.kind === 'composed';
}
