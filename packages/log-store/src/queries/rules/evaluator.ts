/** Translates conditions on entries into conditions on facts. */

import type { LogFilter } from '@tapedeck/log-entries';
import {
  type BodyValue,
  type Condition,
  type FieldValue,
  findTraceId,
  isParsedField,
  type TextField,
} from '@tapedeck/log-query-language';
import { foldCase } from '@tapedeck/values/case-folding';
import type { Binder } from '../../writer/engine/statements.ts';
import { foldColumn } from '../../writer/schema/folding.ts';
import { formatFieldText } from '../fields.ts';
import { formatTerm } from '../terms.ts';
import { formatSearch, joinAll } from '../textConditions.ts';
import type { Fact, Facts, Haystack } from './predicates.ts';

/** `held` has a 1 for each fact that holds. */
export type Verdict = {
  holds(held: Uint8Array): boolean;
  /** Finds facts of which at least one must hold, as rare as possible; `times` says how often each holds. null: none known. */
  findPivots(times: Uint32Array): Pivots | null;
};

type Pivots = { facts: readonly Fact[]; times: number };

type Term = Exclude<Condition, { kind: 'and' | 'or' | 'not' }>;
type Place = { facts: Facts; binder: Binder };

const always: Verdict = { holds: () => true, findPivots: () => null };
const never: Verdict = { holds: () => false, findPivots: () => ({ facts: [], times: 0 }) };

/** Composes the verdict of a filter. Ignores its times. */
export function composeVerdict({ project, datasets, condition }: LogFilter, place: Place): Verdict {
  const { facts } = place;
  return all([
    isFact(facts.addText('project', project)),
    ...(datasets === null ? [] : [any(datasets.map(name => isFact(facts.addText('dataset', name))))]),
    compose(condition, place),
  ]);
}

function compose(condition: Condition, place: Place): Verdict {
  switch (condition.kind) {
    case 'and':
      return all(condition.trees.map(tree => compose(tree, place)));
    case 'or':
      return any(condition.trees.map(tree => compose(tree, place)));
    case 'not': {
      const { holds } = compose(condition.tree, place);
      return { holds: held => !holds(held), findPivots: () => null };
    }
    default:
      return composeTerm(condition, place);
  }
}

function composeTerm(term: Term, place: Place): Verdict {
  const { facts } = place;
  switch (term.kind) {
    case 'everything':
      return always;
    case 'level':
      return any(term.levels.map(level => isFact(facts.addLevel(level))));
    case 'compare': {
      const { text } = formatFieldText(term.field, place.binder);
      return isFact(facts.addComparison(text, term.operator, term.number));
    }
    case 'body':
      return any(term.values.map(value => composeBody(value, place)));
    case 'field': {
      const { field } = term;
      if (isParsedField(field)) return test(term, null, place);
      return any(term.values.map(value => composeField(field, value, place)));
    }
    case 'content':
      return occurs(term.text, ['body', 'values'], place) ?? test(term, null, place);
    case 'text':
      return composeText(term, place);
    case 'textParts':
      return test(term, findGuard(term.parts, ['all']), place);
    case 'bodyExactly':
    case 'bodyPattern':
    case 'contains':
    case 'matches':
    case 'plainMembers':
    case 'plainPairs':
      return test(term, null, place);
  }
}

function composeText(term: Extract<Term, { kind: 'text' }>, place: Place): Verdict {
  const found = findTraceId(term.text) === null ? occurs(term.text, ['all'], place) : null;
  if (found === null) return test(term, null, place);
  return any([found, isFact(place.facts.addText(foldColumn('parentId'), foldCase(term.text)))]);
}

function composeBody(value: BodyValue, place: Place): Verdict {
  const term = { kind: 'body', values: [value] } as const;
  if (value.kind !== 'holds') return test(term, null, place);
  const [only, ...others] = value.parts;
  const found = others.length === 0 ? occurs(only!, ['body'], place) : null;
  return found ?? test(term, findGuard(value.parts, ['body']), place);
}

function composeField(field: TextField, value: FieldValue, place: Place): Verdict {
  const term = { kind: 'field', field, values: [value] } as const;
  if (value.kind === 'equals') {
    if (field.kind === 'metadata') return isFact(place.facts.addLeaf(field.path, value.text));
    if (field.kind !== 'traceId' && field.kind !== 'pattern')
      return isFact(place.facts.addText(field.kind, value.text));
    return test(term, null, place);
  }
  const haystack = field.kind === 'metadata' ? 'values' : field.kind === 'resource' ? 'resource' : null;
  const parts = value.kind === 'parts' ? value.parts : [];
  return test(term, haystack && findGuard(parts, [haystack]), place);
}

const needleBytesMax = 256; // longer texts get a separate comparison, on entries with their beginning

/** Adds the text as a needle; null if it cannot be one. */
function occurs(text: string, places: readonly Haystack[], { facts }: Place): Verdict | null {
  const folded = foldCase(text);
  if (folded === '' || folded.includes('\0') || Buffer.byteLength(folded) > needleBytesMax) return null;
  return any(places.map(haystack => isFact(facts.addNeedle(haystack, folded))));
}

const guardCharactersMax = 48; // more characters exclude hardly more entries

/** Finds a text that occurs wherever all the parts do. The search joins texts by NUL, so a guard ends before one. */
function findGuard(parts: readonly string[], places: readonly Haystack[]) {
  const [head = ''] = parts
    .map(part => foldCase(part).split('\0')[0]!)
    .toSorted((one, other) => other.length - one.length);
  const text = [...head].slice(0, guardCharactersMax).join('');
  return text === '' ? null : places.map(haystack => ({ haystack, text }));
}

function test(term: Term, guard: ReturnType<typeof findGuard>, { facts, binder }: Place): Verdict {
  const place = { binder, mayHint: false };
  const expression = joinAll(formatSearch(term, place) ?? formatTerm(term, place));
  return isFact(facts.addTest(expression, guard));
}

function isFact(fact: Fact): Verdict {
  return {
    holds: held => held[fact] === 1,
    findPivots: times => ({ facts: [fact], times: times[fact] ?? 0 }),
  };
}

function all(verdicts: readonly Verdict[]): Verdict {
  return {
    holds: held => verdicts.every(({ holds }) => holds(held)),
    findPivots: times => {
      const known = verdicts.flatMap(verdict => verdict.findPivots(times) ?? []);
      return known.toSorted((one, other) => one.times - other.times)[0] ?? null;
    },
  };
}

function any(verdicts: readonly Verdict[]): Verdict {
  const [only, ...others] = verdicts;
  if (only === undefined) return never;
  if (others.length === 0) return only;
  return {
    holds: held => verdicts.some(({ holds }) => holds(held)),
    findPivots: times => {
      const known = verdicts.flatMap(verdict => verdict.findPivots(times) ?? []);
      if (known.length < verdicts.length) return null;
      return {
        facts: known.flatMap(({ facts }) => facts),
        times: known.reduce((sum, one) => sum + one.times, 0),
      };
    },
  };
}
