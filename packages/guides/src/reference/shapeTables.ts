/** Renders the fields of a shape as HTML tables: name, type, and meaning. */
import { escapeHtml } from '../pages/inlineText.ts';
import type { Api, Schema } from './operations.ts';

const depthMax = 2; // deeper fields show only the name of their shape

type Row = { name: string; schema: Schema; isRequired: boolean; depth: number };

/** Returns an empty text if the shape has no fields. */
export function writeFieldTable(api: Api, schema: Schema, renderText: (text: string) => string): string {
  const rows = listFields(api, schema, { prefix: '', depth: 0 });
  if (rows.length === 0) return '';
  const cells = rows.map(row => writeRow(api, row, renderText));
  return `<table class="fields"><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${cells.join('')}</tbody></table>`;
}

export function writeRow(api: Api, row: Omit<Row, 'depth'>, renderText: (text: string) => string): string {
  const text = row.schema.description ?? api.resolve(row.schema).schema.description ?? '';
  const mark = row.isRequired ? ' <span class="required">required</span>' : '';
  const limits = describeLimits(api.resolve(row.schema).schema);
  const meaning = [text === '' ? '' : renderText(text), limits].filter(part => part !== '').join(' ');
  return `<tr><td><code>${escapeHtml(row.name)}</code>${mark}</td><td>${escapeHtml(nameType(api, row.schema))}</td><td>${meaning}</td></tr>`;
}

function listFields(api: Api, schema: Schema, place: { prefix: string; depth: number }): Row[] {
  const { schema: shape } = api.resolve(schema);
  const items = shape.type === 'array' && shape.items !== undefined ? api.resolve(shape.items).schema : null;
  if (items !== null) return listFields(api, items, { ...place, prefix: `${place.prefix}[].` });
  const own = shape.properties ?? {};
  const variants = [...(shape.anyOf ?? []), ...(shape.allOf ?? [])];
  if (Object.keys(own).length === 0 && place.depth === 0)
    return uniteRows(variants.map(variant => listFields(api, variant, place)));
  return Object.entries(own).flatMap(([name, field]) => {
    const row = {
      name: `${place.prefix}${name}`,
      schema: field,
      isRequired: shape.required?.includes(name) ?? false,
      depth: place.depth,
    };
    const isShown = place.depth + 1 < depthMax && isNested(api, field);
    return [
      row,
      ...(isShown ? listFields(api, field, { prefix: `${row.name}.`, depth: place.depth + 1 }) : []),
    ];
  });
}

/** Shows fields that several variants share only once. */
function uniteRows(lists: readonly Row[][]): Row[] {
  const seen = new Set<string>();
  return lists.flat().filter(({ name }) => !seen.has(name) && seen.add(name));
}

function isNested(api: Api, schema: Schema): boolean {
  const { schema: shape } = api.resolve(schema);
  return shape.properties !== undefined || (shape.type === 'array' && isNested(api, shape.items ?? {}));
}

export function nameType(api: Api, schema: Schema): string {
  const { schema: shape, name } = api.resolve(schema);
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (shape.enum !== undefined) return shape.enum.map(word => JSON.stringify(word)).join(' | ');
  const variants = shape.anyOf ?? [];
  if (variants.length > 0) return [...new Set(variants.map(variant => nameType(api, variant)))].join(' | ');
  if (shape.type === 'array') return `list of ${nameType(api, shape.items ?? {})}`;
  if (shape.type === 'object' || shape.properties !== undefined) return name ?? 'object';
  if (shape.format === 'date-time') return 'time (RFC 3339)';
  const types = typeof shape.type === 'string' ? [shape.type] : (shape.type ?? ['any']);
  return types.join(' | ');
}

function describeLimits({ minimum, maximum, maxLength, maxItems, default: usual }: Schema): string {
  const parts = [
    ...(minimum === undefined && maximum === undefined ? [] : [describeRange(minimum, maximum)]),
    ...(maxLength === undefined ? [] : [`At most ${maxLength.toLocaleString('en')} characters.`]),
    ...(maxItems === undefined ? [] : [`At most ${maxItems.toLocaleString('en')} items.`]),
    ...(usual === undefined ? [] : [`Default: <code>${escapeHtml(JSON.stringify(usual))}</code>.`]),
  ];
  return parts.join(' ');
}

function describeRange(minimum?: number, maximum?: number): string {
  if (maximum === undefined) return `At least ${minimum?.toLocaleString('en')}.`;
  if (minimum === undefined) return `At most ${maximum.toLocaleString('en')}.`;
  return `${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}.`;
}
