/** Makes samples of lines: which series each belongs to, and its value. */
import { errorLabel, type Label, type Line } from '../labels/labelSet.ts';
import { describeDurationMistake, parseGoDuration } from '../language/durations.ts';
import { describeSizeMistake, parseSize } from '../language/sizes.ts';
import type { Conversion, Grouping, MetricQuery, RangeAggregation, Unwrap } from '../language/tree.ts';
import { LogqlMistake } from '../mistakes.ts';
import { compileLabelFilter } from '../pipeline/filters.ts';
import { describeFloatMistake, parseGoFloat } from '../pipeline/numbers.ts';
import { compilePipeline, listFilterLabels, listReadLabels, type Processed } from '../pipeline/pipeline.ts';
import { formatLabels, orderLabels } from './series.ts';

type Sampled = { readonly labels: readonly Label[]; readonly value: number };

/** null: the line makes no sample. Throws a `LogqlMistake` for a line that a stage failed on. */
export type Sampler = (line: Line) => Sampled | null;

type SamplerOptions = { aliases: ReadonlyMap<string, string>; grouping: Grouping | null };

const noLabels: Grouping = { isWithout: false, labels: [] };
const addingOperations = ['count_over_time', 'rate', 'bytes_over_time', 'bytes_rate', 'sum_over_time'];

/** Sums need no labels but those that they keep: their parsers find no others, and do not fail for them. */
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

/** Without stages that change nothing about the samples. */
export function leaveUnusedOut(range: RangeAggregation, grouping: Grouping | null): RangeAggregation {
  const shorter = leaveLineFormatsOut(range);
  if (findRequired(shorter, grouping)?.size !== 0) return shorter;
  const { query } = shorter; // nobody asks what its parsers would find
  return {
    ...shorter,
    query: { ...query, stages: query.stages.filter(({ kind }) => !parsers.includes(kind)) },
  };
}

/** Whatever a line is changed to does not count, unless its bytes do or a later stage reads it. Templates are not even tried then, as in Loki. */
function leaveLineFormatsOut(range: RangeAggregation): RangeAggregation {
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
  const kept = unwrap === null ? grouping : leaveOut(grouping, unwrap.label);
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
    if (error === '') return { labels: keepLabels(processed, kept), value };
    // Under all labels, as what is around the aggregation groups them.
    if (countsErrors && isParserError) return { labels: keepLabels(processed, null), value };
    throw describeError(processed);
  };
}

/** The value is no label of the series. */
function leaveOut(grouping: Grouping | null, label: string): Grouping {
  if (grouping !== null && !grouping.isWithout) return grouping;
  return { isWithout: true, labels: [...(grouping?.labels ?? []), label] };
}

const suffix = /_extracted$/;

/** null: parsers have to find everything. */
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
  return ns === null ? null : ns / 1e9;
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

/** The store does not tell empty metadata from none, so what is empty stays only where a parser found it. */
function keepLabels({ labels }: Processed, grouping: Grouping | null): Label[] {
  const isThere = ([name, value]: Label) => value !== '' || labels.isParsed(name);
  if (grouping === null || grouping.isWithout)
    return orderLabels(labels.list().filter(label => isThere(label) && !grouping?.labels.includes(label[0])));
  return orderLabels(grouping.labels.map((name): Label => [name, labels.get(name) ?? '']).filter(isThere));
}
