/** Splits a query into parts by meaning, for highlighting, and marks the first mistake. */
import { QueryMistake } from './mistakes.ts';
import { parseFileQuery, parseQuery } from './parser.ts';
import { readTokens, type TokenKind } from './tokens.ts';

export type SpanKind = 'field' | 'operator' | 'value' | 'text' | 'negation' | 'bracket' | 'error';

/** Positions count UTF-16 units; `end` is exclusive. */
export type Span = { readonly kind: SpanKind; readonly start: number; readonly end: number };

const kinds: Readonly<Record<TokenKind, SpanKind>> = {
  text: 'text',
  name: 'field',
  sign: 'operator',
  value: 'value',
  number: 'value',
  minus: 'negation',
  NOT: 'negation',
  AND: 'operator',
  OR: 'operator',
  open: 'bracket',
  close: 'bracket',
  listOpen: 'bracket',
  listClose: 'bracket',
  separator: 'operator',
};

/** Lists spans in the order of the text. Spans do not overlap, are not empty, and leave out the blanks between them. */
export function listSpans(text: string): { spans: Span[]; mistake: QueryMistake | null } {
  return listSpansOf(parseQuery, text);
}

export function listFileSpans(text: string): { spans: Span[]; mistake: QueryMistake | null } {
  return listSpansOf(parseFileQuery, text);
}

function listSpansOf(
  parse: (text: string) => unknown,
  text: string,
): { spans: Span[]; mistake: QueryMistake | null } {
  const mistake = findMistake(parse, text);
  const spans = readTokens(text).map(({ kind, start, end }): Span => ({ kind: kinds[kind], start, end }));
  const marked = mistake === null ? spans : markMistake(spans, mistake);
  return { spans: marked.filter(({ start, end }) => end > start), mistake };
}

function findMistake(parse: (text: string) => unknown, text: string): QueryMistake | null {
  try {
    parse(text);
    return null;
  } catch (error) {
    if (error instanceof QueryMistake) return error;
    throw error;
  }
}

/** If something is missing, marks the span that needs it. */
function markMistake(spans: readonly Span[], { position, end }: QueryMistake): Span[] {
  if (position === end) {
    return spans.map(span =>
      span.end === position && span.start < position ? { ...span, kind: 'error' } : span,
    );
  }
  return spans.flatMap(span => [
    { ...span, end: Math.min(span.end, Math.max(span.start, position)) },
    { kind: 'error', start: Math.max(span.start, position), end: Math.min(span.end, end) },
    { ...span, start: Math.max(span.start, Math.min(span.end, end)) },
  ]);
}
