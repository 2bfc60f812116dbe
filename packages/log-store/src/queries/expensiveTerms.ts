/** Finds the terms that make a query read everything. After a timeout, they tell users what to leave out or make longer. */
import {
  type Condition,
  formatExtractedField,
  isExtracted,
  isParsedField,
  nameField,
  type ParsedField,
  printQuery,
  type Query,
} from '@tapedeck/log-query-language';
import { LogStoreFailure } from '../failures.ts';
import { isLed } from './indexPruning.ts';

/** Adds the expensive terms to a timeout error, and returns other errors unchanged. */
export function nameExpensiveTerms(error: unknown, condition: Condition): unknown {
  if (!(error instanceof LogStoreFailure) || error.code !== 'query_timeout') return error;
  const costly = listCostlyTerms(condition);
  if (costly.length === 0) return error;
  return new LogStoreFailure(
    'query_timeout',
    `${error.message} No index leads to ${costly.slice(0, namedMax).join(' or ')}: every entry of the time asked for is read for that.`,
    { cause: error },
  );
}

const namedMax = 3;

/** Lists expensive terms in query syntax. Negations and comparisons of numbers exclude almost nothing, so they are expensive. */
function listCostlyTerms(condition: Condition): string[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.trees.flatMap(listCostlyTerms);
    case 'not':
      return condition.tree.kind === 'everything' ? [] : [write(condition)];
    case 'field':
      // Other fields have few distinct values, so the engine compares them without decompressing.
      return isLed(condition) || condition.values.every(({ kind }) => kind === 'equals')
        ? []
        : [write(condition)];
    case 'level':
    case 'everything':
      return [];
    default:
      return isLed(condition) ? [] : [write(condition)];
  }
}

function write(condition: Condition): string {
  if (condition.kind === 'content' || condition.kind === 'bodyExactly' || condition.kind === 'contains')
    return JSON.stringify(condition.text);
  if (condition.kind === 'matches') return JSON.stringify(condition.expression);
  if (condition.kind === 'bodyPattern')
    return JSON.stringify(condition.pieces.map(piece => piece ?? '<_>').join(''));
  if (condition.kind === 'plainMembers') return condition.members.map(({ key }) => key).join(' and ');
  if (condition.kind === 'plainPairs') return condition.keys.join(' and ');
  if ('field' in condition && isParsedField(condition.field)) return nameParsed(condition.field);
  if (condition.kind === 'not' && isOfOthers(condition.tree)) return `not ${write(condition.tree)}`;
  if ('trees' in condition && isOfOthers(condition))
    return condition.trees.map(write).join(` ${condition.kind} `);
  return printQuery(condition as Query); // parameter terms are never inside other terms
}

function nameParsed(field: ParsedField): string {
  if (isExtracted(field)) return formatExtractedField(field);
  const fields = field.pieces.flatMap(piece => (piece.kind === 'value' ? piece.fields.slice(0, 1) : []));
  const names = fields.map(each => (isParsedField(each) ? nameParsed(each) : nameField(each)));
  return [...new Set(names)].join(' and ');
}

/** Whether the condition contains terms that our query language cannot express. */
function isOfOthers(condition: Condition): boolean {
  if ('trees' in condition) return condition.trees.some(isOfOthers);
  if (condition.kind === 'not') return isOfOthers(condition.tree);
  if ('field' in condition && isParsedField(condition.field)) return true;
  return [
    'bodyExactly',
    'bodyPattern',
    'contains',
    'matches',
    'content',
    'plainMembers',
    'plainPairs',
  ].includes(condition.kind);
}
