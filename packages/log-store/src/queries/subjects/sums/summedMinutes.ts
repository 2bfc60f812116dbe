/** Finds the minutes of matches in sums, for queries about subjects. */
import type { LogFilter } from '@tapedeck/log-entries';
import type { Condition } from '@tapedeck/log-query-language';
import type { EntryMinutes } from '../../minutePages.ts';
import type { SubjectSums } from './subjectSums.ts';
import type { MarkedEntries } from './sumStatements.ts';

const entriesMax = 50_000; // of the ids: reading their marks takes about ten milliseconds
const idsMax = 100;

/**
 * Verifies the sums with each answer: after the clock was set back, entries arrive that seem to have arrived before the end of the sums, but are
 * not in them.
 */
export class SummedMinutes {
  readonly #sums: SubjectSums;

  constructor(sums: SubjectSums) {
    this.#sums = sums;
  }

  /** Finds the minutes; null if sums do not lead to the entries. */
  async find(filter: LogFilter, signal: AbortSignal): Promise<EntryMinutes | null> {
    for (const { kind, ready } of this.#sums.listReady(filter.project)) {
      const marked = readMarked(filter.condition, kind.paths.idPaths);
      if (marked === null) continue;
      const [rows, areWhole] = await Promise.all([
        this.#sums.readMinutes(ready, { ...marked, kind, entriesMax, signal }),
        this.#sums.verify(ready, { kind, signal }),
      ]);
      const [total, ...minutes] = rows ?? [];
      if (total === undefined || total[1] > entriesMax || !areWhole) continue;
      return {
        endMicros: ready.endMicros,
        isExact: marked.isExact,
        minutes: minutes.map(([minute, entries]) => ({ minute, entries })),
      };
    }
    return null;
  }
}

/** Reads the ids, levels and resources that every match must have; null if a match may have no id. */
function readMarked(
  condition: Condition,
  idPaths: readonly string[],
): (MarkedEntries & { isExact: boolean }) | null {
  const terms = listTerms(condition);
  const ids = terms.map(term => listIds(term, idPaths)).find(found => found !== null);
  if (ids === undefined || ids.length > idsMax) return null;
  const levels = terms.find(term => term.kind === 'level')?.levels ?? null;
  const resources = terms.map(listResources).find(found => found !== null) ?? null;
  const used = 1 + (levels === null ? 0 : 1) + (resources === null ? 0 : 1);
  return { ids, levels, resources, isExact: terms.length === used };
}

/** Lists terms that must all hold. */
function listTerms(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.trees.flatMap(listTerms) : [condition];
}

/** Lists ids so that every match has one of them; null if a match may have none. */
function listIds(condition: Condition, idPaths: readonly string[]): string[] | null {
  if (condition.kind === 'or') {
    const found = condition.trees.map(tree => listIds(tree, idPaths));
    return found.includes(null) ? null : [...new Set(found.flatMap(ids => ids ?? []))];
  }
  if (condition.kind === 'and')
    return condition.trees.map(tree => listIds(tree, idPaths)).find(found => found !== null) ?? null;
  if (condition.kind !== 'field' || condition.field.kind !== 'metadata') return null;
  return idPaths.includes(condition.field.path) ? listEqual(condition.values) : null;
}

function listResources(condition: Condition): string[] | null {
  return condition.kind === 'field' && condition.field.kind === 'resource'
    ? listEqual(condition.values)
    : null;
}

type Values = Extract<Condition, { kind: 'field' }>['values'];

/** Lists texts; null if a value is not a plain text, or is empty, because absent values read as empty. */
function listEqual(values: Values): string[] | null {
  const texts = values.flatMap(value => (value.kind === 'equals' && value.text !== '' ? [value.text] : []));
  return texts.length === values.length ? texts : null;
}
