/** Finds errors in the query, and decides when to show them. */

import { ApiError } from '@tapedeck/client';
import { listSpans, type Span } from '@tapedeck/log-query-language';
import { useEffect, useMemo, useState } from 'react';

type Mistake = { sentence: string; position: number; end: number };

/** Splits the box's language into spans. */
export type ListSpans = typeof listSpans;

type Read = { spans: readonly Span[]; mistake: Mistake | null };

const thinkingPauseMs = 700; // avoids interrupting users in the middle of a term

/** Also reads the service's error, because page and service may be of different versions. */
export function readBox(text: string, refusal: Error | null, list: ListSpans = listSpans): Read {
  const { spans, mistake } = list(text);
  if (mistake !== null) {
    const { message: sentence, position, end } = mistake;
    return { spans, mistake: { sentence, position, end } };
  }
  if (!(refusal instanceof ApiError) || refusal.position === null) return { spans, mistake: null };
  const { message: sentence, position } = refusal;
  const wrong = spans.find(({ end }) => end > position) ?? spans.at(-1);
  const marked = spans.map((span): Span => (span === wrong ? { ...span, kind: 'error' } : span));
  return { spans: marked, mistake: { sentence, position, end: wrong?.end ?? position } };
}

export function isRefusedQuery(error: Error | null): boolean {
  return error instanceof ApiError && error.code === 'query_invalid';
}

/** True if another part of the page shows this error. The box shows errors in the query, whichever request fails first. */
export function isShownElsewhere(error: Error, shownMessage: string | null): boolean {
  return isRefusedQuery(error) || error.message === shownMessage;
}

type MistakeProps = {
  text: string;
  caret: number;
  isFocused: boolean;
  refusal: Error | null;
  listSpans: ListSpans;
};

/** Marks text as wrong only once the user pauses. */
export function useMistake({
  text,
  caret,
  isFocused,
  refusal,
  listSpans: list,
}: MistakeProps): Read & { showMistake: (text: string) => void } {
  const [shownFor, setShownFor] = useState<string | null>(null);
  const read = useMemo(() => readBox(text, refusal, list), [text, refusal, list]);
  const { mistake } = read;
  const isUnfinished = mistake !== null && isFocused && caret >= mistake.position && caret <= mistake.end + 1;
  const waits = isUnfinished && shownFor !== text;
  useEffect(() => {
    if (!waits) return;
    const timer = setTimeout(() => setShownFor(text), thinkingPauseMs);
    return () => clearTimeout(timer);
  }, [waits, text]);
  const calm = read.spans.map((span): Span => (span.kind === 'error' ? { ...span, kind: 'text' } : span));
  return {
    spans: waits ? calm : read.spans,
    mistake: waits ? null : mistake,
    showMistake: setShownFor,
  };
}
