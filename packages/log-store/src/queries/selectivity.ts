/**
 * Some of the newest entries of a project, kept for a while: how many of them a condition holds for tells whether its matches are
 * everywhere, or so few that only an index leads to them. A wrong guess costs time, never entries.
 */
import type { LogEntry, LogFilter } from '@tapedeck/log-entries';
import { type Condition, compileCondition, everything, JudgedEntry } from '@tapedeck/log-query-language';
import { findLiterals } from './expressionLiterals.ts';

export const sampleEntries = 500; // judged in about a millisecond
const freshMs = 60_000;
const projectsMax = 8; // half a megabyte each

type Sample = { at: number; entries: Promise<readonly JudgedEntry[]> };

export class RecentSample {
  readonly #load: (project: string) => Promise<readonly LogEntry[]>;
  /** By project; the one that was loaded last stands last. */
  readonly #samples = new Map<string, Sample>();

  constructor(load: (project: string) => Promise<readonly LogEntry[]>) {
    this.#load = load;
  }

  /** The share of recent entries, of any time and dataset, that match; null: there are none to judge by. */
  async findShare({ project, datasets, condition }: LogFilter): Promise<number | null> {
    const entries = await this.#read(project).catch(() => []); // of what is wrong the question itself will hear
    if (entries.length === 0) return null;
    const judge = compileCondition(approximate(condition));
    const matches = entries.filter(
      judged => (datasets === null || datasets.includes(judged.entry.dataset)) && judge(judged),
    );
    return matches.length / entries.length;
  }

  #read(project: string): Promise<readonly JudgedEntry[]> {
    const now = performance.now();
    const known = this.#samples.get(project);
    if (known !== undefined && now - known.at < freshMs) return known.entries;
    const entries = this.#load(project).then(loaded => loaded.map(entry => new JudgedEntry(entry)));
    this.#samples.delete(project);
    this.#samples.set(project, { at: now, entries });
    entries.catch(() => this.#samples.delete(project));
    for (const oldest of [...this.#samples.keys()].slice(0, -projectsMax)) this.#samples.delete(oldest);
    return entries;
  }
}

/** Expressions may take long for a long text: of those only what leads an index to them is judged. */
function approximate(condition: Condition): Condition {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return { kind: condition.kind, trees: condition.trees.map(approximate) };
    case 'not':
      return { kind: 'not', tree: approximate(condition.tree) };
    case 'matches': {
      const parts = condition.field.kind === 'body' ? findLiterals(condition.expression) : [];
      return parts.length === 0 ? everything : { kind: 'body', values: [{ kind: 'holds', parts }] };
    }
    default:
      return condition;
  }
}
