/** Makes samples of lines: which series each belongs to, and its value. */
import { detailsLabel, errorLabel, type Label, type Line } from '../labels/labelSet.ts';
import { parseGoDuration } from '../language/durations.ts';
import { parseSize } from '../language/sizes.ts';
import type { Conversion, Grouping, MetricQuery, RangeAggregation, Unwrap } from '../language/tree.ts';
import { LogqlMistake } from '../mistakes.ts';
import { compileLabelFilter } from '../pipeline/filters.ts';
import { parseGoFloat } from '../pipeline/numbers.ts';
import { compilePipeline, listFilterLabels, listReadLabels, type Processed } from '../pipeline/pipeline.ts';
import { formatLabels, sortLabels } from './series.ts';

type Sampled = { readonly labels: readonly Label[]; readonly value: number };

/** null: the line makes no sample. Throws a `LogqlMistake` for a line that a stage failed on. */
export type Sampler = (line: Line) => Sampled | null;

type SamplerOptions = { aliases: ReadonlyMap<string, string>; grouping: Grouping | null };

const addingOperations = ['count_over_time', 'rate', 'bytes_over_time', 'bytes_rate', 'sum_over_time'];

/** Sums need no labels but those that they keep: their parsers find no others, and do not fail for them. */
export function listGroupedRanges(
  query: MetricQuery,
): [range: RangeAggregation, grouping: Grouping | null][] {
  switch (query.kind) {
    case 'range':
      return [[query, query.grouping]];
    case 'vectorAggregation': {
      const { operation, operand, grouping } = query;
      const isWithin = operation === 'sum' && operand.kind === 'range' && operand.grouping === null;
      if (isWithin && addingOperations.includes(operand.operation))
        return [[operand, grouping ?? { isWithout: false, labels: [] }]];
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

export function compileSampler(range: RangeAggregation, { aliases, grouping }: SamplerOptions): Sampler {
  const { query, unwrap, operation } = range;
  const kept = unwrap === null ? grouping : leaveOut(grouping, unwrap.label);
  const pipeline = compilePipeline(query.stages, { aliases, required: findRequired(range, grouping) });
  const isOfBytes = operation.startsWith('bytes');
  const read = unwrap === null ? null : compileUnwrap(unwrap);
  return line => {
    const processed = pipeline(line);
    if (processed === null) return null;
    const value = read === null ? (isOfBytes ? Buffer.byteLength(processed.text) : 1) : read(processed);
    if (value === null) return null;
    requireSound(processed);
    return { labels: keepLabels(processed, kept), value };
  };
}

/** The value is no label of the series. */
function leaveOut(grouping: Grouping | null, label: string): Grouping {
  if (grouping !== null && !grouping.isWithout && grouping.labels.length > 0) return grouping;
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

const conversions: Readonly<Record<Conversion | 'float', (text: string) => number | null>> = {
  float: parseGoFloat,
  bytes: parseSize,
  duration: readSeconds,
  duration_seconds: readSeconds,
};

function readSeconds(text: string): number | null {
  const ns = parseGoDuration(text);
  return ns === null ? null : ns / 1e9;
}

function compileUnwrap({ label, conversion, filters }: Unwrap): (processed: Processed) => number | null {
  const convert = conversions[conversion ?? 'float'];
  const judges = filters.map(compileLabelFilter);
  return ({ labels }) => {
    const text = labels.get(label) ?? '';
    if (text === '') return null;
    const value = convert(text);
    if (value === null)
      labels.fail(
        'SampleExtractionErr',
        `strconv.ParseFloat: parsing ${JSON.stringify(text)}: invalid syntax`,
      );
    return judges.every(judge => judge(labels)) ? (value ?? 0) : null;
  };
}

function requireSound({ labels }: Processed): void {
  const { error } = labels;
  if (error === '') return;
  const series = formatLabels(sortLabels(labels.list()).filter(([name]) => name !== detailsLabel));
  throw new LogqlMistake(
    `pipeline error: '${error}' for series: '${series}'.\n` +
      `Use a label filter to intentionally skip this error. (e.g | ${errorLabel}!="${error}").\n` +
      `To skip all potential errors you can match empty errors.(e.g ${errorLabel}="")\n` +
      `The label filter can also be specified after unwrap. (e.g | unwrap latency | ${errorLabel}="" )\n`,
  );
}

function keepLabels({ labels }: Processed, grouping: Grouping | null): Label[] {
  if (grouping === null) return sortLabels(labels.list());
  if (grouping.isWithout)
    return sortLabels(labels.list().filter(([name]) => !grouping.labels.includes(name)));
  return sortLabels(grouping.labels.map(name => [name, labels.get(name) ?? ''] as const));
}
