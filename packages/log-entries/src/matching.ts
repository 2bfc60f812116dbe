/** Judges single entries by a filter, as the tail needs it. Agrees with what the log store finds. */
import { foldCase } from '@tapedeck/case-folding';
import type { LogEntry } from './entries.ts';
import type { LogFilter } from './questions.ts';

/** An entry that many filters judge. Its text is folded once, when the first filter needs it. */
export class JudgedEntry {
  readonly entry: LogEntry;
  readonly project: string;
  #body: string | null = null;
  #values: readonly string[] | null = null;

  constructor(entry: LogEntry, project: string) {
    this.entry = entry;
    this.project = project;
  }

  get foldedBody(): string {
    this.#body ??= foldCase(this.entry.body);
    return this.#body;
  }

  get foldedValues(): readonly string[] {
    this.#values ??= Object.values(this.entry.metadata).map(foldCase);
    return this.#values;
  }
}

/** The cheap conditions come first: most entries fail one of them. */
export function matchesFilter(judged: JudgedEntry, filter: LogFilter): boolean {
  const { entry, project } = judged;
  return (
    project === filter.project &&
    (filter.datasets === null || filter.datasets.includes(entry.dataset)) &&
    (filter.levels === null || filter.levels.includes(entry.level)) &&
    (filter.resource === null || filter.resource === entry.resource) &&
    (filter.parentId === null || filter.parentId === entry.parentId) &&
    (filter.fromMicros === null || filter.fromMicros <= entry.timestampMicros) &&
    (filter.toMicros === null || filter.toMicros >= entry.timestampMicros) &&
    filter.metadata.every(
      ({ path, value }) => Object.hasOwn(entry.metadata, path) && entry.metadata[path] === value,
    ) &&
    filter.bodyTerms.every(term => judged.foldedBody.includes(term)) &&
    filter.textTerms.every(term => holdsText(judged, term))
  );
}

function holdsText(judged: JudgedEntry, term: string): boolean {
  return judged.foldedBody.includes(term) || judged.foldedValues.some(value => value.includes(term));
}
