/** Prints queries: short ones on one line, longer ones with each part on a separate line. */
import { isKeptExpression } from '../pipeline/labelExpressions.ts';
import { formatFloat } from '../templates/values.ts';
import { formatGoDuration, formatPrometheusDuration } from './durations.ts';
import { quote } from './quotes.ts';
import { formatSize } from './sizes.ts';
import type {
  BinaryOperation,
  Grouping,
  LabelFilter,
  LineFilter,
  LogQuery,
  LogqlQuery,
  Matcher,
  RangeAggregation,
  Stage,
  Unwrap,
} from './tree.ts';

const lineCharactersMax = 100;

export function formatLogql(query: LogqlQuery): string {
  return layOut(query, { level: 0, printed: new Map() });
}

/**
 * `printed` keeps the text of each query on one line, which decides about its layout and is part of its parents' texts. Without it, a chain of
 * two thousand operators would be printed two thousand times.
 */
type Layout = { level: number; printed: Map<LogqlQuery, string> };

function indent(level: number): string {
  return '  '.repeat(level);
}

function layOut(query: LogqlQuery, layout: Layout): string {
  const { level, printed } = layout;
  const line = print(query, printed);
  if (line.length <= lineCharactersMax) return indent(level) + line;
  const inner = { level: level + 1, printed };
  switch (query.kind) {
    case 'log':
      return layOutLog(query, level);
    case 'range':
      return layOutRange(query, layout);
    case 'vectorAggregation': {
      const head = `${query.operation}${layOutGrouping(query.grouping)}`;
      const parameter = query.parameter === null ? [] : [indent(level + 1) + query.parameter];
      return layOutCall(head, [...parameter, layOut(query.operand, inner)], level);
    }
    case 'labelReplace': {
      const { target, replacement, source, expression } = query;
      const texts = [target, replacement, source, expression].map(text => indent(level + 1) + quote(text));
      return layOutCall('label_replace', [layOut(query.operand, inner), ...texts], level);
    }
    case 'binary': // no `join`, which would copy the operands at each level
      return `${layOut(query.left, inner)}\n${indent(level)}${layOutOperator(query)}\n${layOut(query.right, inner)}`;
    default:
      return indent(level) + line;
  }
}

function layOutCall(head: string, parameters: readonly string[], level: number): string {
  return `${indent(level)}${head}(\n${parameters.join(',\n')}\n${indent(level)})`;
}

function layOutLog({ matchers, stages }: LogQuery, level: number): string {
  // Loki does not indent `decolorize`.
  const lines = joinLineFilters(stages).map(line =>
    line === '| decolorize' ? line : indent(level + 1) + line,
  );
  return [indent(level) + printSelector(matchers), ...lines].join('\n');
}

/** Joins consecutive line filters on one line until one does not fit. Each of the rest gets a separate line. */
function joinLineFilters(stages: readonly Stage[]): string[] {
  const lines: string[] = [];
  let open: string | null = null; // the line that further filters may join; '' after one that did not fit
  for (const stage of stages) {
    if (stage.kind !== 'lineFilter') {
      open = null;
      lines.push(printStage(stage));
      continue;
    }
    for (const printed of listLineFilters(stage)) {
      const joined: string = open === null ? printed : `${open} ${printed}`;
      const isJoined: boolean = open !== null && open !== '' && joined.length <= lineCharactersMax;
      if (isJoined) lines.pop();
      lines.push(isJoined ? joined : printed);
      open = isJoined || open === null ? joined : '';
    }
  }
  return lines;
}

function layOutRange(range: RangeAggregation, { level, printed }: Layout): string {
  const { operation, parameter, query, unwrap, rangeNs, offsetNs, grouping } = range;
  const lines = [layOut(query, { level: level + 1, printed })];
  if (unwrap !== null) {
    lines.push(indent(level + 2) + printUnwrap({ ...unwrap, filters: [] }));
    lines.push(...unwrap.filters.map(filter => `${indent(level + 2)}| ${printFilter(filter)}`));
  }
  const offset = offsetNs === 0 ? '' : ` offset ${formatPrometheusDuration(offsetNs)}`;
  const span = ` [${formatPrometheusDuration(rangeNs)}]${offset}`;
  const parameters = parameter === null ? [] : [indent(level + 1) + formatFloat(parameter)];
  return layOutCall(operation, [...parameters, lines.join('\n') + span], level) + layOutGrouping(grouping);
}

function print(query: LogqlQuery, printed: Layout['printed']): string {
  const known = printed.get(query) ?? compose(query, operand => print(operand, printed));
  printed.set(query, known);
  return known;
}

function compose(query: LogqlQuery, print: (operand: LogqlQuery) => string): string {
  switch (query.kind) {
    case 'log':
      return [printSelector(query.matchers), ...query.stages.map(printStage)].join(' ');
    case 'range':
      return printRange(query, print(query.query));
    case 'vectorAggregation': {
      const parameter = query.parameter === null ? '' : `${query.parameter},`;
      const { grouping, operation } = query;
      const isAll = grouping !== null && !grouping.isWithout && grouping.labels.length === 0;
      return `${operation}${isAll ? '' : printGrouping(grouping)}(${parameter}${print(query.operand)})`;
    }
    case 'binary':
      return `(${print(query.left)} ${printOperator(query)} ${print(query.right)})`;
    case 'labelReplace': {
      const { target, replacement, source, expression } = query;
      const texts = [target, replacement, source, expression].map(quote);
      return `label_replace(${[print(query.operand), ...texts].join(',')})`;
    }
    case 'literal':
      return formatFloat(query.value);
    case 'vector':
      return `vector(${query.value.toFixed(6)})`;
  }
}

export function printSelector(matchers: readonly Matcher[]): string {
  return `{${matchers.map(printMatcher).join(', ')}}`;
}

function printMatcher({ name, operator, value }: Matcher): string {
  return `${name}${operator}${quote(value)}`;
}

function printRange(
  { operation, parameter, unwrap, rangeNs, offsetNs, grouping }: RangeAggregation,
  lines: string,
): string {
  const first = parameter === null ? '' : `${formatFloat(parameter)},`;
  const unwrapped = unwrap === null ? '' : ` ${printUnwrap(unwrap)}`;
  const span = `[${formatPrometheusDuration(rangeNs)}]${printOffset(offsetNs)}`;
  return `${operation}(${first}${lines}${unwrapped}${span})${printGrouping(grouping)}`;
}

function printOffset(offsetNs: number): string {
  return offsetNs === 0 ? '' : ` offset ${formatGoDuration(offsetNs)}`;
}

function printUnwrap({ label, conversion, filters }: Unwrap): string {
  const what = conversion === null ? label : `${conversion}(${label})`;
  return [`| unwrap ${what}`, ...filters.map(filter => `| ${printFilter(filter)}`)].join(' ');
}

function printGrouping(grouping: Grouping | null): string {
  if (grouping === null) return '';
  return ` ${grouping.isWithout ? 'without' : 'by'} (${grouping.labels.join(',')})`;
}

/** In multi-line layouts, Loki omits empty brackets. */
function layOutGrouping(grouping: Grouping | null): string {
  if (grouping === null) return '';
  if (grouping.labels.length === 0) return grouping.isWithout ? ' without' : '';
  return ` ${grouping.isWithout ? 'without' : 'by'} (${grouping.labels.join(', ')})`;
}

/** Like Loki, always puts a blank after matching labels. */
function printOperator({ operator, isBool, matching }: BinaryOperation): string {
  const { on, many, include } = matching;
  const word = isBool ? `${operator} bool` : operator;
  if (on === null || (on.isIgnoring && on.labels.length === 0)) return word;
  const group = many === null ? '' : `group_${many}`;
  const labels = include.length === 0 ? '' : ` (${include.join(',')})`;
  return `${word} ${on.isIgnoring ? 'ignoring' : 'on'} (${on.labels.join(',')}) ${group}${labels}`;
}

function layOutOperator({ operator, isBool, matching }: BinaryOperation): string {
  const { on, many, include } = matching;
  const word = isBool ? `${operator} bool` : operator;
  if (on === null || on.labels.length === 0) return word;
  const group = many === null ? '' : `group_${many}`;
  const labels = include.length === 0 ? '' : ` (${include.join(', ')})`;
  return `${word} ${on.isIgnoring ? 'ignoring' : 'on'} (${on.labels.join(', ')}) ${group}${labels}`;
}

/** Loki treats each negated alternative as a separate filter, because none may match. */
function listLineFilters({ operator, alternatives }: LineFilter): string[] {
  const texts = alternatives.map(({ text, isNetwork }) => (isNetwork ? `ip(${quote(text)})` : quote(text)));
  const filters = operator.startsWith('!') ? texts : [texts.join(' or ')];
  return filters.map(text => `${operator} ${text}`);
}

export function printStage(stage: Stage): string {
  switch (stage.kind) {
    case 'lineFilter':
      return listLineFilters(stage).join(' ');
    case 'labelFilter':
      return `| ${printFilter(stage.filter)}`;
    case 'lineFormat':
      return `| line_format ${quote(stage.template)}`;
    case 'labelFormat':
      return `| label_format ${stage.formats.map(({ name, from }) => `${name}=${from.kind === 'label' ? from.text : quote(from.text)}`).join(',')}`;
    case 'drop':
    case 'keep':
      return `| ${stage.kind} ${stage.labels.map(({ name, matcher }) => (matcher === null ? name : printMatcher(matcher))).join(',')}`;
    default:
      return `| ${printParser(stage)}`;
  }
}

type ParserStage = Extract<
  Stage,
  { kind: 'json' | 'logfmt' | 'regexp' | 'pattern' | 'unpack' | 'decolorize' }
>;

function printParser(stage: ParserStage): string {
  if (stage.kind === 'regexp' || stage.kind === 'pattern') return `${stage.kind} ${quote(stage.text)}`;
  if (stage.kind !== 'json' && stage.kind !== 'logfmt') return stage.kind;
  const words: string[] = [stage.kind];
  if (stage.kind === 'logfmt' && stage.isStrict) words.push('--strict');
  if (stage.kind === 'logfmt' && stage.keepsEmpty) words.push('--keep-empty');
  const extractions = stage.extractions.map(({ name, expression }) => `${name}=${quote(expression)}`);
  return [...words, ...(extractions.length === 0 ? [] : [extractions.join(',')])].join(' ');
}

/** Prints a matcher, in backquotes if Loki treats it as an expression. */
function printFilterMatcher(matcher: Matcher): string {
  const { name, operator, value } = matcher;
  if (operator !== '=~' || !isKeptExpression(value) || value.includes('`')) return printMatcher(matcher);
  return `${name}${operator}\`${value}\``;
}

function printFilter(filter: LabelFilter): string {
  switch (filter.kind) {
    case 'match':
      return printFilterMatcher(filter.matcher);
    case 'network':
      return `${filter.name}${filter.isNegated ? '!=' : '='}ip(${quote(filter.network)})`;
    case 'and':
    case 'or':
      return `( ${printFilter(filter.left)} ${filter.kind === 'and' ? ',' : 'or'} ${printFilter(filter.right)} )`;
    case 'number':
      return `${filter.name}${filter.operator}${String(filter.value)}`;
    case 'duration':
      return `${filter.name}${filter.operator}${formatGoDuration(filter.value)}`;
    case 'size':
      return `${filter.name}${filter.operator}${formatSize(filter.value)}`;
  }
}
