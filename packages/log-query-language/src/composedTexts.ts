/** Texts composed of fixed parts and field values, as simple templates of LogQL write them. */

import { type ExtractedField, isExtracted } from './extractedFields.ts';
import type { Field } from './fields.ts';

/** A text, or the value of the first of the fields that an entry has; without any, `otherwise`. */
export type ComposedPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly fields: readonly (Field | ParsedField)[]; readonly otherwise: string };

/** The pieces one after the other. Every entry has this field, possibly as `''`. */
export type ComposedField = { readonly kind: 'composed'; readonly pieces: readonly ComposedPiece[] };

/** A field of a query that parses bodies. */
export type ParsedField = ExtractedField | ComposedField;

export function isParsedField(field: { readonly kind: string }): field is ParsedField {
  return isExtracted(field) || field.kind === 'composed';
}
