/** Makes up values that fit a shape, for samples and forms. */
import type { Api, Schema } from './operations.ts';

const depthMax = 6; // shapes may contain themselves

/** Typical values of fields by name, used if the shape allows them. */
const usualValues: Readonly<Record<string, unknown>> = {
  message: 'player joined',
  level: 'info',
  metadata: { player: { id: 7 } },
  resource: 'shop',
  filename: 'clip.mp4',
  path: 'clips',
  project: 'default',
  dataset: 'default',
  query: 'level:error',
  email: 'you@example.org',
  password: 'a long password',
  newPassword: 'another long password',
  name: 'Example',
  target: 'https://example.org/hook',
  username: 'Server',
  content: 'Player joined',
  title: 'Player joined',
  description: 'Player joined',
  base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  field: 'resource',
  role: 'viewer',
  cdnDomain: 'cdn.example.org',
  timestamp: '2026-01-02T03:04:05Z',
  from: '2026-01-02T00:00:00Z',
  to: '2026-01-03T00:00:00Z',
  windowSeconds: 300,
  url: 'https://example.org/',
};

/** Only required fields, or all named ones. */
type Extent = 'required' | 'all';

/** `name`: the field that holds the value. */
type Place = { extent: Extent; name?: string; depth?: number };

export function makeExample(api: Api, schema: Schema, { extent, name = '', depth = 0 }: Place): unknown {
  const { schema: shape } = api.resolve(schema);
  const [first] = shape.examples ?? [];
  if (first !== undefined) return first;
  if (shape.const !== undefined) return shape.const;
  const usual = usualValues[name];
  if (usual !== undefined && accepts(shape, usual)) return usual;
  if (shape.default !== undefined) return shape.default;
  if (shape.enum !== undefined) return shape.enum[0];
  const variants = shape.anyOf ?? [];
  const variant = variants.find(each => api.resolve(each).schema.type !== 'null') ?? shape.allOf?.[0];
  if (variant !== undefined) return makeExample(api, variant, { extent, name, depth: depth + 1 });
  if (depth > depthMax) return null;
  return makeOfType(api, shape, { extent, depth });
}

function makeOfType(api: Api, shape: Schema, { extent, depth }: Required<Omit<Place, 'name'>>): unknown {
  const type = typeof shape.type === 'string' ? shape.type : shape.type?.[0];
  if (type === 'integer' || type === 'number') return shape.minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [makeExample(api, shape.items ?? {}, { extent, depth: depth + 1 })];
  if (type === 'object' || shape.properties !== undefined) return makeObject(api, shape, { extent, depth });
  if (type === 'null') return null;
  return shape.format === 'date-time' ? '2026-01-02T03:04:05Z' : '…';
}

function makeObject(api: Api, shape: Schema, { extent, depth }: Required<Omit<Place, 'name'>>): unknown {
  const fields = Object.entries(shape.properties ?? {}).filter(
    ([field]) => extent === 'all' || shape.required?.includes(field),
  );
  const shown = fields.map(([field, of]) => [
    field,
    makeExample(api, of, { extent, name: field, depth: depth + 1 }),
  ]);
  return Object.fromEntries(shown);
}

function accepts({ type, enum: words }: Schema, value: unknown): boolean {
  if (words !== undefined) return words.includes(value);
  const types = typeof type === 'string' ? [type] : (type ?? ['string', 'object']);
  const own = typeof value === 'number' ? ['number', 'integer'] : [typeof value];
  return types.some(each => own.includes(each));
}
