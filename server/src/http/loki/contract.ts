/** The routes that Grafana and similar programs read from: Loki's, from the root of the server. */

import { defineRoute, type Route } from '@tapedeck/contract/route';
import Type from 'typebox';

const anyBody = Type.Unknown({ description: 'As Loki defines it.' });
const prefix = '/loki/api/v1';

/** Each accepts GET, or POST with the parameters in a form. */
type ReadingRoute = Route & { access: Extract<Route['access'], { by: 'token' }> };

function reading(
  id: string,
  path: string,
  { summary, isPlain = false }: { summary: string; isPlain?: boolean },
): [get: ReadingRoute, post: ReadingRoute] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const route = {
    isForeign: true,
    area: 'doors',
    path: `${prefix}/${path}`,
    summary,
    access: { by: 'token', kinds: ['logs'], action: 'read', apiKey: true, spelling: 'any' },
    ...(names.length > 0 && {
      params: Type.Object(Object.fromEntries(names.map(name => [name, Type.String()]))),
    }),
    answer: anyBody,
    errors: isPlain ? [] : (['query_invalid', 'invalid_field'] as const),
  } as const;
  return [
    defineRoute({ ...route, id: `loki_${id}`, method: 'GET' }),
    defineRoute({
      ...route,
      id: `loki_${id}_post`,
      method: 'POST',
      stream: { 'application/x-www-form-urlencoded': anyBody },
      errors: [...route.errors, 'body_too_large'] as const,
    }),
  ];
}

/** Upgrades to a WebSocket. */
export const lokiTail: ReadingRoute = defineRoute({
  isForeign: true,
  id: 'loki_tail',
  method: 'GET',
  area: 'doors',
  path: `${prefix}/tail`,
  summary: 'Streams new lines over a WebSocket.',
  access: { by: 'token', kinds: ['logs'], action: 'read', apiKey: true, spelling: 'any' },
  answer: anyBody,
  errors: ['bad_request', 'query_invalid', 'invalid_field'],
});

export const lokiReading = {
  query: reading('query', 'query', { summary: 'Evaluates a query at one moment.' }),
  queryRange: reading('query_range', 'query_range', {
    summary: 'Returns lines or numbers over a time range.',
  }),
  labels: reading('labels', 'labels', { summary: 'Lists label names.' }),
  label: reading('label', 'label', { summary: 'Lists label names.' }),
  labelValues: reading('label_values', 'label/{name}/values', { summary: 'Lists the values of a label.' }),
  series: reading('series', 'series', { summary: 'Lists streams.' }),
  stats: reading('index_stats', 'index/stats', {
    summary: 'Counts the streams, chunks, entries and bytes that a selector matches.',
  }),
  volume: reading('index_volume', 'index/volume', { summary: 'Returns the bytes of each label value.' }),
  volumeRange: reading('index_volume_range', 'index/volume_range', {
    summary: 'Returns the bytes of each label value over time.',
  }),
  patterns: reading('patterns', 'patterns', {
    summary: 'Groups lines that differ only in numbers and names, over time.',
  }),
  detectedLabels: reading('detected_labels', 'detected_labels', {
    summary: 'Lists labels with the number of their values.',
  }),
  detectedFields: reading('detected_fields', 'detected_fields', {
    summary: 'Lists the fields of recent lines: metadata, JSON and logfmt.',
  }),
  detectedValues: reading('detected_field_values', 'detected_field/{name}/values', {
    summary: 'Lists the values of a detected field.',
  }),
  limits: reading('drilldown_limits', 'drilldown-limits', {
    summary: 'Returns the limits that Logs Drilldown asks for.',
    isPlain: true,
  }),
  format: reading('format_query', 'format_query', { summary: 'Formats a query.' }),
  rules: reading('rules', 'rules', {
    summary: 'Lists recording and alerting rules; there are none.',
    isPlain: true,
  }),
};

/** The paths of all these routes, in the notation of routes. */
export const lokiPaths: readonly string[] = [
  ...Object.values(lokiReading).flatMap(routes => routes.map(({ path }) => path)),
  lokiTail.path,
];
