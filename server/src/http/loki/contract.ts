/** The routes by which Grafana and its like read: those of Loki, from the root of the server. */

import { defineRoute, type Route } from '@tapedeck/contract/route';
import Type from 'typebox';

const anyBody = Type.Unknown({ description: 'As Loki has it.' });
const prefix = '/loki/api/v1';

/** Each is asked by GET, or by POST with the parameters in a form. */
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

/** It goes on as a WebSocket. */
export const lokiTail: ReadingRoute = defineRoute({
  isForeign: true,
  id: 'loki_tail',
  method: 'GET',
  area: 'doors',
  path: `${prefix}/tail`,
  summary: 'Lines as they arrive, through a WebSocket.',
  access: { by: 'token', kinds: ['logs'], action: 'read', apiKey: true, spelling: 'any' },
  answer: anyBody,
  errors: ['bad_request', 'query_invalid', 'invalid_field'],
});

export const lokiReading = {
  query: reading('query', 'query', { summary: 'What a query comes to at one moment.' }),
  queryRange: reading('query_range', 'query_range', { summary: 'Lines or numbers of a time.' }),
  labels: reading('labels', 'labels', { summary: 'The names of labels.' }),
  label: reading('label', 'label', { summary: 'The names of labels.' }),
  labelValues: reading('label_values', 'label/{name}/values', { summary: 'The values of a label.' }),
  series: reading('series', 'series', { summary: 'The streams that there are.' }),
  stats: reading('index_stats', 'index/stats', { summary: 'How much a selector finds.' }),
  volume: reading('index_volume', 'index/volume', { summary: 'How many bytes the values of labels have.' }),
  volumeRange: reading('index_volume_range', 'index/volume_range', { summary: 'The same over time.' }),
  patterns: reading('patterns', 'patterns', {
    summary: 'What lines say the same but for numbers and names, over time.',
  }),
  detectedLabels: reading('detected_labels', 'detected_labels', {
    summary: 'Labels, and how many values each has.',
  }),
  detectedFields: reading('detected_fields', 'detected_fields', {
    summary: 'What newer lines hold: metadata, JSON and logfmt.',
  }),
  detectedValues: reading('detected_field_values', 'detected_field/{name}/values', {
    summary: 'Values of such a field.',
  }),
  limits: reading('drilldown_limits', 'drilldown-limits', {
    summary: 'What Logs Drilldown has to know.',
    isPlain: true,
  }),
  format: reading('format_query', 'format_query', { summary: 'A query, laid out for people to read.' }),
  rules: reading('rules', 'rules', {
    summary: 'Rules of recording and alerting, of which there are none here.',
    isPlain: true,
  }),
};

/** The paths of all of them, as routes write them. */
export const lokiPaths: readonly string[] = [
  ...Object.values(lokiReading).flatMap(routes => routes.map(({ path }) => path)),
  lokiTail.path,
];
