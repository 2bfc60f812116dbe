/** Colours the query by the meaning of its parts, and underlines mistakes. */
import type { Span, SpanKind } from '@tapedeck/log-query-language';

const looks: Readonly<Record<SpanKind, string>> = {
  field: 'text-level-info',
  operator: 'text-muted',
  value: 'text-good',
  text: 'text-ink',
  negation: 'text-accent',
  bracket: 'text-muted',
  error:
    'text-danger underline decoration-danger decoration-wavy decoration-1 underline-offset-4 [text-decoration-skip-ink:none]',
};

/** Spans must not be wider than their letters, because they lie under those of the field. */
export function Highlighted({ text, spans }: { text: string; spans: readonly Span[] }) {
  const between = spans.map(({ end }) => end);
  return (
    <>
      {spans.map(({ kind, start, end }, index) => [
        text.slice(between[index - 1] ?? 0, start),
        <span key={start} data-kind={kind} className={`[unicode-bidi:normal] ${looks[kind]}`}>
          {text.slice(start, end)}
        </span>,
      ])}
      {text.slice(between.at(-1) ?? 0)}
    </>
  );
}
