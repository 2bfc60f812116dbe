/** Validates stages beyond the grammar. Like Loki, it quotes the printed stage in errors. */
import { compileExpression } from '../expressions.ts';
import { explainMistakes, parseMistake } from '../mistakes.ts';
import { compileLinePattern } from '../pipeline/linePatterns.ts';
import { parseNetwork } from '../pipeline/networks.ts';
import { compileTemplate } from '../templates/template.ts';
import { parseJsonPath, parseLogfmtKey } from './jsonPaths.ts';
import { printStage } from './printer.ts';
import { quote } from './quotes.ts';
import {
  type LabelFilter,
  type LabelFormat,
  type LineAlternative,
  type LineOperator,
  type LogqlQuery,
  listRanges,
  listSought,
  type Stage,
} from './tree.ts';

export function validateStages(query: LogqlQuery): void {
  if (query.kind === 'log') validateAll(query.stages);
  else for (const range of listRanges(query)) validateAll(range.query.stages);
}

function validateAll(stages: readonly Stage[]): void {
  for (const together of orderStages(stages)) {
    explainMistakes(
      () => `stage '${together.map(printStage).join(' ')}' : `,
      () => together.forEach(validateStage),
    );
  }
}

/** Orders stages like Loki, which validates line filters first and together, unless an earlier stage changes the line. */
function orderStages(stages: readonly Stage[]): Stage[][] {
  const ordered: Stage[][] = [];
  let filters: Stage[] = [];
  let others: Stage[][] = [];
  const flush = () => {
    if (filters.length > 0) ordered.push(filters);
    ordered.push(...others);
    filters = [];
    others = [];
  };
  for (const stage of stages) {
    if (stage.kind === 'lineFilter') filters.push(stage);
    else others.push([stage]);
    if (stage.kind === 'lineFormat' || stage.kind === 'unpack') flush();
  }
  flush();
  return ordered;
}

function validateStage(stage: Stage): void {
  switch (stage.kind) {
    case 'lineFilter':
      for (const alternative of listSought(stage)) validateAlternative(stage.operator, alternative);
      break;
    case 'json':
      for (const { expression } of stage.extractions) parseJsonPath(expression);
      break;
    case 'logfmt':
      for (const { expression } of stage.extractions) parseLogfmtKey(expression);
      break;
    case 'lineFormat':
      compileTemplate(stage.template, 'line');
      break;
    case 'labelFormat':
      validateFormats(stage.formats);
      break;
    case 'labelFilter':
      validateFilter(stage.filter);
  }
}

function validateAlternative(operator: LineOperator, { text, isNetwork }: LineAlternative): void {
  if (isNetwork) {
    if (operator !== '|=' && operator !== '!=') throw parseMistake('ip: invalid operation');
    requireNetwork(text);
  } else if (operator === '|~' || operator === '!~') compileExpression(text);
  else if (operator === '|>' || operator === '!>') compileLinePattern(text);
}

function requireNetwork(text: string): void {
  if (parseNetwork(text) === null) throw parseMistake(`ip: invalid pattern: ${quote(text)}`);
}

/** As in Loki, joined filters are not validated: one with an invalid network matches nothing. */
function validateFilter(filter: LabelFilter): void {
  if (filter.kind === 'network') requireNetwork(filter.network);
}

function validateFormats(formats: readonly LabelFormat[]): void {
  const names = new Set<string>();
  for (const { name, from } of formats) {
    if (name === '__error__') throw parseMistake('__error__ cannot be formatted');
    if (names.has(name))
      throw parseMistake(`multiple label name '${name}' not allowed in a single format operation`);
    names.add(name);
    if (from.kind === 'template') compileTemplate(from.text, 'label', name);
  }
}
