/** Turns lines into samples: the labels of a series and a value. */
import { errorLabel, type Label, type Line, preserveLabel } from '../labels/labelSet.ts';
import { describeDurationMistake, parseGoDuration, toSeconds } from '../language/durations.ts';
import { describeSizeMistake, parseSize } from '../language/sizes.ts';
import type { Conversion, Grouping, MetricQuery, RangeAggregation, Unwrap } from '../language/tree.ts';
import { LogqlMistake } from '../mistakes.ts';
import { compileLabelFilter } from '../pipeline/filters.ts';
import { describeFloatMistake, parseGoFloat } from '../pipeline/numbers.ts';
import { compilePipeline, listFilterLabels, listReadLabels, type Processed } from '../pipeline/pipeline.ts';
import { formatLabels, orderLabels } from './series.ts';

type Sampled = { readonly labels: readonly Label[]; readonly value: number };

/** Returns null if the line gives no sample. Throws a `LogqlMistake` if a stage failed on the line. */
export type Sampler = (line: Line) => Sampled | null;

type SamplerOptions = { aliases: ReadonlyMap<string, string>; grouping: Grouping | null };

const noLabels: Grouping = { isWithout: false, labels: [] };
const addingOperations = ['count_over_time', 'rate', 'bytes_over_time', 'bytes_rate', 'sum_over_time'];

/** Parsers inside a sum look only for the labels that it keeps, and do not fail for others. */
export function listGroupedRanges(
  query: MetricQuery,
): [range: RangeAggregation, grouping: Grouping | null][] {
  switch (query.kind) {
    case 'range':
      return [[query, query.operation === 'absent_over_time' ? noLabels : query.grouping]];
    case 'vectorAggregation': {
      const { operation, operand, grouping } = query;
      const isWithin = operation === 'sum' && operand.kind === 'range' && operand.grouping === null;
      if (isWithin && addingOperations.includes(operand.operation)) return [[operand, grouping ?? noLabels]];
      return listGroupedRanges(operand);
    }
    case 'labelReplace':
      return listGroupedRanges(query.operand);
    case 'binary':
      return [...listGroupedRanges(query.left), ...listGroupedRanges(query.right)];
    default:
      return [];
  }
}

/** Removes stages that do not affect the samples. */
export function omitUnused(range: RangeAggregation, grouping: Grouping | null): RangeAggregation {
  const shorter = omitLineFormats(range);
  if (findRequired(shorter, grouping)?.size !== 0) return shorter;
  const { query } = shorter; // the query needs no labels from its parsers
  return {
    ...shorter,
    query: { ...query, stages: query.stages.filter(({ kind }) => !parsers.includes(kind)) },
  };
}

/** Removes `line_format` stages, unless bytes count or a later stage reads the line. As in Loki, their templates then do not even run. */
function omitLineFormats(range: RangeAggregation): RangeAggregation {
  const { query, operation } = range;
  const lastReader = query.stages.findLastIndex(({ kind }) => lineReaders.includes(kind));
  const stages = query.stages.filter(({ kind }, index) => kind !== 'lineFormat' || index < lastReader);
  const isAsItIs = operation.startsWith('bytes') || stages.length === query.stages.length;
  return isAsItIs ? range : { ...range, query: { ...query, stages } };
}

const parsers: readonly string[] = ['json', 'logfmt', 'regexp', 'pattern', 'unpack'];
const lineReaders: readonly string[] = ['lineFilter', ...parsers];

export function compileSampler(range: RangeAggregation, { aliases, grouping }: SamplerOptions): Sampler {
  const { query, unwrap, operation } = range;
  const kept = unwrap === null ? grouping : omitLabel(grouping, unwrap.label);
  const required = findRequired(range, grouping);
  const countsErrors = required?.has(errorLabel) ?? false;
  const pipeline = compilePipeline(query.stages, { aliases, required });
  const isOfBytes = operation.startsWith('bytes');
  const read = unwrap === null ? null : compileUnwrap(unwrap);
  return line => {
    const processed = pipeline(line);
    if (processed === null) return null;
    const value = read === null ? (isOfBytes ? Buffer.byteLength(processed.text) : 1) : read(processed);
    if (value === null) return null;
    const { error, isParserError } = processed.labels;
    const isPreserved = error !== '' && processed.labels.getOwn(preserveLabel) === 'true';
    if (error === '' || isPreserved) return { labels: keepLabels(processed, kept), value };
    // Keeps all labels, because the outer aggregation groups by them.
    if (countsErrors && isParserError) return { labels: keepLabels(processed, null), value };
    throw describeError(processed);
  };
}

/** Excludes the unwrapped label from the series. */
function omitLabel(grouping: Grouping | null, label: string): Grouping {
  if (grouping !== null && !grouping.isWithout) return grouping;
  return { isWithout: true, labels: [...(grouping?.labels ?? []), label] };
}

const suffix = /_extracted$/;

/** Lists the labels that parsers must find; null: all. */
function findRequired(
  { query, unwrap }: RangeAggregation,
  grouping: Grouping | null,
): ReadonlySet<string> | null {
  if (grouping === null || grouping.isWithout) return null;
  const names = [
    ...listReadLabels(query.stages),
    ...grouping.labels,
    ...(unwrap === null ? [] : [unwrap.label, ...unwrap.filters.flatMap(listFilterLabels)]),
  ];
  return new Set(names.flatMap(name => (suffix.test(name) ? [name, name.replace(suffix, '')] : [name])));
}

type Reading = { read(text: string): number | null; refuse(text: string): string };

const seconds: Reading = { read: readSeconds, refuse: describeDurationMistake };
const conversions: Readonly<Record<Conversion | 'float', Reading>> = {
  float: { read: parseGoFloat, refuse: describeFloatMistake },
  bytes: { read: parseSize, refuse: describeSizeMistake },
  duration: seconds,
  duration_seconds: seconds,
};

function readSeconds(text: string): number | null {
  const ns = parseGoDuration(text);
  return ns === null ? null : toSeconds(ns);
}

function compileUnwrap({ label, conversion, filters }: Unwrap): (processed: Processed) => number | null {
  const { read, refuse } = conversions[conversion ?? 'float'];
  const judges = filters.map(compileLabelFilter);
  return ({ labels }) => {
    const text = labels.get(label) ?? '';
    if (text === '') return null;
    const value = read(text);
    if (value === null) labels.fail('SampleExtractionErr', refuse(text));
    return judges.every(judge => judge(labels)) ? (value ?? 0) : null;
  };
}

function describeError({ labels }: Processed): LogqlMistake {
  const { error } = labels;
  const series = formatLabels(orderLabels(labels.list()));
  return new LogqlMistake(
    `pipeline error: '${error}' for series: '${series}'.\n` +
      `Use a label filter to intentionally skip this error. (e.g | ${errorLabel}!="${error}").\n` +
      `To skip all potential errors you can match empty errors.(e.g ${errorLabel}="")\n` +
      `The label filter can also be specified after unwrap. (e.g | unwrap latency | ${errorLabel}="" )\n`,
  );
}

/** Empty labels stay only if a parser found them: the store cannot tell empty metadata from none. */
function keepLabels({ labels }: Processed, grouping: Grouping | null): Label[] {
  const isThere = ([name, value]: Label) => value !== '' || labels.isParsed(name);
  if (grouping === null || grouping.isWithout)
    return orderLabels(labels.list().filter(label => isThere(label) && !grouping?.labels.includes(label[0])));
  return orderLabels(grouping.labels.map((name): Label => [name, labels.get(name) ?? '']).filter(isThere));
}
