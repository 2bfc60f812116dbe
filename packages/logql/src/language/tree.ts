/** The tree of a query. */

export type MatchOperator = '=' | '!=' | '=~' | '!~';
export type Matcher = { readonly name: string; readonly operator: MatchOperator; readonly value: string };

export type LineOperator = '|=' | '!=' | '|~' | '!~' | '|>' | '!>';
/** A text, an expression or a pattern, depending on the operator; or a network that must contain an address in the line. */
export type LineAlternative = { readonly text: string; readonly isNetwork: boolean };

export type CompareOperator = '==' | '!=' | '>' | '>=' | '<' | '<=';

export type LabelFilter =
  | { readonly kind: 'match'; readonly matcher: Matcher }
  | { readonly kind: 'network'; readonly name: string; readonly isNegated: boolean; readonly network: string }
  /** Durations are in nanoseconds, sizes in bytes. */
  | {
      readonly kind: 'number' | 'duration' | 'size';
      readonly name: string;
      readonly operator: CompareOperator;
      readonly value: number;
    }
  | { readonly kind: 'and' | 'or'; readonly left: LabelFilter; readonly right: LabelFilter };

/** A field that a parser extracts, and the label it becomes. */
export type Extraction = { readonly name: string; readonly expression: string };

export type LabelFormat = {
  readonly name: string;
  readonly from: { readonly kind: 'label' | 'template'; readonly text: string };
};

/** A label to keep or drop, by name, or by name and value. */
export type ChosenLabel = { readonly name: string; readonly matcher: Matcher | null };

export type LineFilter = {
  readonly kind: 'lineFilter';
  readonly operator: LineOperator;
  /** At least one. One must match; with a negated operator, none may. */
  readonly alternatives: readonly LineAlternative[];
};

/** If one of several must match, Loki searches for a network's text, not for its addresses. */
export function listSought({ operator, alternatives }: LineFilter): readonly LineAlternative[] {
  if (operator.startsWith('!') || alternatives.length === 1) return alternatives;
  return alternatives.map(({ text }) => ({ text, isNetwork: false }));
}

export type Stage =
  | LineFilter
  /** Without extractions, the parser extracts everything. */
  | { readonly kind: 'json'; readonly extractions: readonly Extraction[] }
  | {
      readonly kind: 'logfmt';
      readonly extractions: readonly Extraction[];
      readonly isStrict: boolean;
      readonly keepsEmpty: boolean;
    }
  | { readonly kind: 'regexp' | 'pattern'; readonly text: string }
  | { readonly kind: 'unpack' }
  | { readonly kind: 'decolorize' }
  | { readonly kind: 'labelFilter'; readonly filter: LabelFilter }
  | { readonly kind: 'lineFormat'; readonly template: string }
  | { readonly kind: 'labelFormat'; readonly formats: readonly LabelFormat[] }
  | { readonly kind: 'drop' | 'keep'; readonly labels: readonly ChosenLabel[] };

/** Selects lines and processes them in stages. */
export type LogQuery = {
  readonly kind: 'log';
  readonly matchers: readonly Matcher[];
  readonly stages: readonly Stage[];
};

export type Conversion = 'bytes' | 'duration' | 'duration_seconds';

/** The label whose value is the sample. */
export type Unwrap = {
  readonly label: string;
  readonly conversion: Conversion | null;
  readonly filters: readonly LabelFilter[];
};

export type Grouping = { readonly isWithout: boolean; readonly labels: readonly string[] };

export const rangeOperations = [
  ...(['count_over_time', 'rate', 'rate_counter', 'bytes_over_time', 'bytes_rate'] as const),
  ...(['avg_over_time', 'sum_over_time', 'min_over_time', 'max_over_time'] as const),
  ...(['stddev_over_time', 'stdvar_over_time', 'quantile_over_time'] as const),
  ...(['first_over_time', 'last_over_time', 'absent_over_time'] as const),
] as const;
export type RangeOperation = (typeof rangeOperations)[number];

export const vectorOperations = [
  ...(['sum', 'avg', 'max', 'min', 'count', 'stddev', 'stdvar'] as const),
  ...(['topk', 'bottomk', 'approx_topk', 'sort', 'sort_desc'] as const),
] as const;
export type VectorOperation = (typeof vectorOperations)[number];

export type RangeAggregation = {
  readonly kind: 'range';
  readonly operation: RangeOperation;
  /** The quantile of `quantile_over_time`. */
  readonly parameter: number | null;
  readonly query: LogQuery;
  readonly unwrap: Unwrap | null;
  readonly rangeNs: number;
  readonly offsetNs: number;
  readonly grouping: Grouping | null;
};

export type VectorAggregation = {
  readonly kind: 'vectorAggregation';
  readonly operation: VectorOperation;
  readonly parameter: number | null;
  readonly grouping: Grouping | null;
  readonly operand: MetricQuery;
};

const setOperators = ['and', 'or', 'unless'] as const;
export const compareOperators = ['==', '!=', '>', '>=', '<', '<='] as const;
export type BinaryOperator =
  | (typeof setOperators)[number]
  | (typeof compareOperators)[number]
  | ('+' | '-' | '*' | '/' | '%' | '^');

export type VectorMatching = {
  /** null: all labels. */
  readonly on: { readonly isIgnoring: boolean; readonly labels: readonly string[] } | null;
  readonly many: 'left' | 'right' | null;
  readonly include: readonly string[];
};

export type BinaryOperation = {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: MetricQuery;
  readonly right: MetricQuery;
  readonly isBool: boolean;
  readonly matching: VectorMatching;
};

export type LabelReplacement = {
  readonly kind: 'labelReplace';
  readonly operand: MetricQuery;
  readonly target: string;
  readonly replacement: string;
  readonly source: string;
  readonly expression: string;
};

export type MetricQuery =
  | RangeAggregation
  | VectorAggregation
  | BinaryOperation
  | LabelReplacement
  | { readonly kind: 'literal' | 'vector'; readonly value: number };

export type LogqlQuery = LogQuery | MetricQuery;

/** Lists all range aggregations of a query, from left to right. */
export function listRanges(query: MetricQuery): RangeAggregation[] {
  switch (query.kind) {
    case 'range':
      return [query];
    case 'vectorAggregation':
    case 'labelReplace':
      return listRanges(query.operand);
    case 'binary':
      return [...listRanges(query.left), ...listRanges(query.right)];
    default:
      return [];
  }
}
