/** How the log store reads the labels that a query's first parser finds, and which lines are in doubt. */
import {
  type AskedMember,
  allOf,
  type CaptureField,
  type Condition,
  type ExtractedField,
  isMemberName,
  negate,
  nothing,
} from '@tapedeck/log-query-language';
import {
  compileExpression,
  compileParserPattern,
  type Stage,
  weighExpression,
  writeForStore,
} from '@tapedeck/logql';

/** Collects the labels that a query needs, to know the lines in which they are in doubt. */
export type LineReader = {
  readonly isJson: boolean;
  /** Returns null if the store cannot tell which text of the line the label means; undefined if the parser never finds the label. */
  find(label: string, isText: boolean): ExtractedField | null | undefined;
  /** Matches lines whose labels are in doubt, or on which the parser fails. */
  readonly unclear: Condition;
  /** Matches those of them that may match the query. In the others, the parser finds nothing. */
  readonly unclearButRead: Condition;
};

/** Returns null for stages other than parsers, and for parsers that the store does not know. */
export function openReader(stage: Stage): LineReader | null {
  switch (stage.kind) {
    case 'json':
      return new JsonReader();
    case 'logfmt':
      return stage.isStrict || stage.keepsEmpty ? null : new LogfmtReader();
    case 'regexp':
      return openExpression(stage.text);
    case 'pattern':
      return openPattern(stage.text);
    default:
      return null;
  }
}

class JsonReader implements LineReader {
  readonly isJson = true;
  readonly #members = new Map<string, AskedMember>();

  find(label: string, isText: boolean): ExtractedField | null {
    if (!isMemberName(label)) return null;
    const known = this.#members.get(label);
    this.#members.set(label, { key: label, isText: isText || (known?.isText ?? false) });
    return { kind: 'member', key: label };
  }

  get unclear(): Condition {
    return negate({ kind: 'plainMembers', members: [...this.#members.values()] });
  }

  get unclearButRead(): Condition {
    return allOf([beginsAsObject, this.unclear]);
  }
}

const beginsAsObject: Condition = { kind: 'matches', field: { kind: 'body' }, expression: '^\\s*\\{' };

class LogfmtReader implements LineReader {
  readonly isJson = false;
  readonly #keys = new Set<string>();

  find(label: string): ExtractedField | null {
    if (!isMemberName(label)) return null;
    this.#keys.add(label);
    return { kind: 'pair', key: label };
  }

  get unclear(): Condition {
    return this.#keys.size === 0 ? nothing : negate({ kind: 'plainPairs', keys: [...this.#keys] });
  }

  get unclearButRead(): Condition {
    return this.unclear;
  }
}

class CaptureReader implements LineReader {
  readonly isJson = false;
  readonly #captures: ReadonlyMap<string, ExtractedField>;
  readonly unclear: Condition;

  constructor(captures: ReadonlyMap<string, ExtractedField>, unclear: Condition) {
    this.#captures = captures;
    this.unclear = unclear;
  }

  find(label: string): ExtractedField | undefined {
    return this.#captures.get(label);
  }

  get unclearButRead(): Condition {
    return this.unclear;
  }
}

function openExpression(expression: string): LineReader | null {
  if (weighExpression(expression) > captureWeightMax) return null;
  const { groups } = compileExpression(expression);
  return new CaptureReader(
    new Map(
      groups.map(([name, group]) => [
        name,
        { kind: 'capture', expression: writeForStore(expression), group },
      ]),
    ),
    nothing,
  );
}

/** The parser finds captures as far as the line follows the pattern, so each has an expression that ends with it. */
function openPattern(pattern: string): LineReader | null {
  const captures = new Map<string, CaptureField>();
  let before = '^(?s:';
  const pieces = compileParserPattern(pattern);
  for (const [index, { kind, text }] of pieces.entries()) {
    const next = pieces[index + 1];
    if (kind === 'text') before += escapeExpression(text);
    else {
      const end = next === undefined ? '(.*)' : `(.*?)(?:${escapeExpression(next.text)}|$)`;
      if (text !== '_') captures.set(text, { kind: 'capture', expression: `${before}${end})`, group: 1 });
      before += '.*?';
    }
  }
  if ([...captures.values()].some(({ expression }) => weighExpression(expression) > captureWeightMax))
    return null;
  return new CaptureReader(captures, isEmpty);
}

/** Unlike a search, capturing takes time that grows with the length of the expression times that of the line. */
const captureWeightMax = 500;

/** The parser finds nothing in an empty line, but a capture may match there. */
const isEmpty: Condition = { kind: 'body', values: [{ kind: 'empty' }] };

function escapeExpression(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
