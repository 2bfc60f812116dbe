/** Makes up values that fit a shape, for samples and forms. */
import type { Api, Schema } from './operations.ts';
import { listUsualValues, usualLabels, usualMoment, usualWords } from './usualValues.ts';

const depthMax = 6; // shapes may contain themselves
const usualCount = 12;

/** Only required fields, or all named ones. */
type Extent = 'required' | 'all';

/** `name`: the field that holds the value. */
type Place = { extent: Extent; name?: string; depth?: number };

export function makeExample(api: Api, schema: Schema, { extent, name = '', depth = 0 }: Place): unknown {
  const { schema: shape } = api.resolve(schema);
  const [first] = shape.examples ?? [];
  if (first !== undefined) return first;
  if (shape.const !== undefined) return shape.const;
  const usual = listUsualValues(name).find(value => accepts(shape, value));
  if (usual !== undefined) return usual;
  if (shape.default !== undefined) return shape.default;
  if (shape.enum !== undefined) return shape.enum[0];
  const variants = shape.anyOf ?? [];
  const variant = variants.find(each => api.resolve(each).schema.type !== 'null') ?? shape.allOf?.[0];
  if (variant !== undefined) return makeExample(api, variant, { extent, name, depth: depth + 1 });
  if (depth > depthMax) return null;
  return makeOfType(api, shape, { extent, name, depth });
}

function makeOfType(api: Api, shape: Schema, { extent, name, depth }: Required<Place>): unknown {
  const type = typeof shape.type === 'string' ? shape.type : shape.type?.[0];
  if (type === 'integer' || type === 'number')
    return Math.max(Math.min(usualCount, shape.maximum ?? usualCount), shape.minimum ?? 0);
  if (type === 'boolean') return true;
  if (type === 'array') return [makeExample(api, shape.items ?? {}, { extent, name, depth: depth + 1 })];
  if (name === 'metadata' && holdsTexts(shape)) return usualLabels;
  if (type === 'object' || shape.properties !== undefined) return makeObject(api, shape, { extent, depth });
  if (type === 'null') return null;
  if (shape.format === 'date-time') return usualMoment;
  return (shape.pattern && usualWords.find(word => accepts(shape, word))) || '…';
}

function holdsTexts({ additionalProperties: values }: Schema): boolean {
  return typeof values === 'object' && values.type === 'string';
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

function accepts(shape: Schema, value: unknown): boolean {
  const { type, enum: words, pattern, minimum = -Infinity, maximum = Infinity } = shape;
  if (words !== undefined) return words.includes(value);
  if (typeof value === 'string' && pattern !== undefined && !new RegExp(pattern).test(value)) return false;
  if (typeof value === 'number' && (value < minimum || value > maximum)) return false;
  if (typeof value === 'object' && holdsTexts(shape)) return false;
  const types = typeof type === 'string' ? [type] : (type ?? ['string', 'object']);
  if (typeof value === 'number')
    return types.includes('number') || (types.includes('integer') && Number.isInteger(value));
  return types.includes(typeof value);
}
