/** Resolves field names: a field of every entry or file, or a path in its metadata. */

const reservedKinds = ['level', 'body', 'resource', 'traceId', 'parentId', 'dataset', 'pattern'] as const;

/** A field whose values are plain texts; the level and the body have rules of their own. */
export type TextField =
  | { readonly kind: 'resource' | 'traceId' | 'parentId' | 'dataset' | 'pattern' }
  | { readonly kind: 'metadata'; readonly path: string };

export type Field = TextField | { readonly kind: 'level' } | { readonly kind: 'body' };

const bodyNames: readonly string[] = ['message', 'msg'];
/** May precede every path, and must precede one that would be read as something else. */
export const metadataPrefix = 'metadata.';
/** Names that mean no path. */
export const reservedNames: readonly string[] = [...reservedKinds, ...bodyNames];

/** `metadata.` is taken off once, so that a path may begin with it, too. */
export function resolveField(name: string): Field {
  if (bodyNames.includes(name)) return { kind: 'body' };
  const kind = reservedKinds.find(reserved => reserved === name);
  if (kind !== undefined) return { kind };
  const path = name.startsWith(metadataPrefix) ? name.slice(metadataPrefix.length) : name;
  return { kind: 'metadata', path };
}

/** The shortest name that means the field. */
export function nameField(field: Field): string {
  if (field.kind !== 'metadata') return field.kind;
  const isPlain = resolveField(field.path).kind === 'metadata' && !field.path.startsWith(metadataPrefix);
  return isPlain ? field.path : metadataPrefix + field.path;
}

/** In the order in which people look for them. */
export const fileFieldNames = [
  'name',
  'path',
  'type',
  'mimeType',
  'size',
  'width',
  'height',
  'duration',
  'id',
  'key',
  'exempt',
] as const;
export type FileFieldName = (typeof fileFieldNames)[number];

/** A field of a file. All are plain texts; sizes and durations read as numbers, too. */
export type FileField =
  | { readonly kind: FileFieldName }
  | { readonly kind: 'metadata'; readonly path: string };

export function resolveFileField(name: string): FileField {
  const kind = fileFieldNames.find(reserved => reserved === name);
  if (kind !== undefined) return { kind };
  const path = name.startsWith(metadataPrefix) ? name.slice(metadataPrefix.length) : name;
  return { kind: 'metadata', path };
}

/** The shortest name that means the field of a file. */
export function nameFileField(field: FileField): string {
  if (field.kind !== 'metadata') return field.kind;
  const isPlain = resolveFileField(field.path).kind === 'metadata' && !field.path.startsWith(metadataPrefix);
  return isPlain ? field.path : metadataPrefix + field.path;
}
