/** Resolves field names: a field of every entry or file, or a path in its metadata. */

const reservedKinds = ['level', 'body', 'resource', 'traceId', 'parentId', 'dataset', 'pattern'] as const;

/** A field whose values are plain texts. The level and the body follow other rules. */
export type TextField =
  | { readonly kind: 'resource' | 'traceId' | 'parentId' | 'dataset' | 'pattern' }
  | { readonly kind: 'metadata'; readonly path: string };

export type Field = TextField | { readonly kind: 'level' } | { readonly kind: 'body' };

const bodyNames: readonly string[] = ['message', 'msg'];
/** May precede every path. It must precede a path that would otherwise mean another field. */
export const metadataPrefix = 'metadata.';
/** Names that do not mean a metadata path. */
export const reservedNames: readonly string[] = [...reservedKinds, ...bodyNames];

/** Removes `metadata.` only once, so paths may begin with it, too. */
export function resolveField(name: string): Field {
  if (bodyNames.includes(name)) return { kind: 'body' };
  const kind = reservedKinds.find(reserved => reserved === name);
  if (kind !== undefined) return { kind };
  return readPath(name);
}

function readPath(name: string) {
  const path = name.startsWith(metadataPrefix) ? name.slice(metadataPrefix.length) : name;
  return { kind: 'metadata', path } as const;
}

/** Returns the shortest name of the field. */
export function nameField(field: Field): string {
  return field.kind === 'metadata' ? namePath(field.path, resolveField) : field.kind;
}

function namePath(path: string, resolve: (name: string) => { kind: string }): string {
  const isPlain = resolve(path).kind === 'metadata' && !path.startsWith(metadataPrefix);
  return isPlain ? path : metadataPrefix + path;
}

/** In the order in which users look for them. */
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

/** A field of a file. All values are plain texts; sizes and durations also compare as numbers. */
export type FileField =
  | { readonly kind: FileFieldName }
  | { readonly kind: 'metadata'; readonly path: string };

export function resolveFileField(name: string): FileField {
  const kind = fileFieldNames.find(reserved => reserved === name);
  if (kind !== undefined) return { kind };
  return readPath(name);
}

/** Returns the shortest name of the file field. */
export function nameFileField(field: FileField): string {
  return field.kind === 'metadata' ? namePath(field.path, resolveFileField) : field.kind;
}
