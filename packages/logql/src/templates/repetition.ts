/** Keeps results of templates: lines often have the same few values, and looking one up is faster than running a template. */
import type { Node, Pipe, Term } from './tree.ts';

export type TemplateInput = {
  readonly micros: number;
  readonly line: string;
  readonly labels: Readonly<Record<string, string>>;
};

export type Result = string | { error: string };
export type Write = (input: TemplateInput) => Result;

/** Functions whose results depend on more than the labels. Those of times take the current time for a wrong value. */
const passingFunctions = [
  '__line__',
  '__timestamp__',
  'now',
  'date',
  'unixEpoch',
  'unixEpochMillis',
  'unixEpochNanos',
];

export type Reads = {
  /** The labels that the template reads. */
  fields: ReadonlySet<string>;
  /** The template may read labels that `fields` does not name. */
  readsAll: boolean;
  /** Equal values of `fields` always give equal results. */
  isRepeatable: boolean;
};

export function listReads(nodes: readonly Node[]): Reads {
  const terms = [...listTerms(nodes)];
  const readsAll = terms.some(term => term.kind === 'dot' || (term.kind === 'variable' && term.name === '$'));
  const isPassing = terms.some(term => term.kind === 'function' && passingFunctions.includes(term.name));
  return {
    fields: new Set(terms.flatMap(term => (term.kind === 'field' ? (term.path[0] ?? []) : []))),
    readsAll,
    isRepeatable: !readsAll && !isPassing,
  };
}

const rememberedMax = 2_000;
const rememberedCharactersMax = 1_000; // of the values of one line, and of a result

/** Only for a template that is repeatable. */
export function remember(run: Write, fields: readonly string[]): Write {
  const known = new Map<string, Result>();
  return input => {
    let key = '';
    for (const name of fields) {
      const value = Object.hasOwn(input.labels, name) ? (input.labels[name] ?? '') : '';
      key += `${value.length} ${value}`;
    }
    const found = known.get(key);
    if (found !== undefined) return found;
    const result = run(input);
    const isLong =
      key.length > rememberedCharactersMax ||
      (typeof result === 'string' ? result : result.error).length > rememberedCharactersMax;
    if (isLong) return result;
    if (known.size >= rememberedMax) known.clear();
    known.set(key, result);
    return result;
  };
}

function* listTerms(nodes: readonly Node[]): Generator<Term> {
  for (const node of nodes) {
    if ('pipe' in node && node.pipe !== null) yield* listPipeTerms(node.pipe);
    if ('body' in node) yield* listTerms([...node.body, ...node.otherwise]);
  }
}

function* listPipeTerms({ commands }: Pipe): Generator<Term> {
  for (const term of commands.flatMap(({ terms }) => terms)) {
    yield term;
    if (term.kind === 'pipeline') yield* listPipeTerms(term.pipeline);
  }
}
