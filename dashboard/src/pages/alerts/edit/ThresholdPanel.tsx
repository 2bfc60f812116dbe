/** Draws the threshold over the last week, and says how often the rule would have fired. */
import { useMemo, useState } from 'react';
import { formatSeconds } from '../../../format/durations.ts';
import { countThings, formatCount } from '../../../format/numbers.ts';
import { formatDayTime } from '../../../format/times.ts';
import type { RulePreview } from '../../../queries/rules.ts';
import { isRefusedQuery } from '../../../queryBox/queryErrors.ts';
import { Button } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { PageSpinner } from '../../../ui/Spinner.tsx';
import { type Columns, computeColumns, findTop } from '../chart/columns.ts';
import { ThresholdLine } from '../chart/ThresholdLine.tsx';
import { WindowChart } from '../chart/WindowChart.tsx';
import { type RuleDraft, readQuestion } from './draft.ts';
import type { RulePreviewState } from './preview.ts';
import { suggestThreshold } from './thresholdSuggestion.ts';

const unaskedWords = 'Complete the fields above to see the last week.';
const timesTold = 3;
const oftenShare = 0.1; // share of a week: people ignore an alert that fires more often

type ThresholdPanelProps = {
  draft: RuleDraft;
  previewState: RulePreviewState;
  onValue: (value: string) => void;
};

export function ThresholdPanel({ draft, previewState, onValue }: ThresholdPanelProps) {
  const { preview, isAsked, isStale, error } = previewState;
  const columns = useColumns(draft, preview);
  const isSilence = draft.want === 'few';
  const value = Math.max(1, Math.round(Number(draft.value) || 1));
  const { top, hold } = useTop(columns, value);
  const bars = describeBars(draft);
  const share = columns === null || draft.want === 'more' ? 0 : countFiring(columns, { value, isSilence });
  return (
    <section
      aria-label="The last week"
      aria-busy={isStale}
      className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-xl border border-line bg-panel px-4 pt-3 pb-2 shadow-panel"
    >
      <p role="status" className={`text-sm transition-colors ${isStale ? 'text-muted' : ''}`}>
        {preview ? <Fired {...preview} share={share} /> : isAsked ? 'Checking the last week…' : unaskedWords}
      </p>
      {columns && share >= oftenShare && (
        <Suggestion value={suggestThreshold(columns.counts, { isSilence })} onValue={onValue} />
      )}
      {error && !isRefusedQuery(error) && <Notice look="error">{error.message}</Notice>}
      {columns ? (
        <>
          <p className="pb-3 text-[0.82rem] text-muted">{bars} Drag the line to set the threshold.</p>
          <WindowChart
            label={`${bars} The highest bar is ${countThings(columns.most, 'entry', 'entries')}.`}
            columns={columns}
            top={top}
            threshold={value}
            isBelow={isSilence}
            marks={preview?.times.map(at => Date.parse(at)) ?? []}
          >
            <ThresholdLine
              value={value}
              top={top}
              words={
                isSilence
                  ? `fewer than ${formatCount(value)} entries`
                  : `${formatCount(value)} or more entries`
              }
              onChange={next => onValue(String(next))}
              onHold={hold}
            />
          </WindowChart>
        </>
      ) : (
        isAsked && !error && <PageSpinner />
      )}
    </section>
  );
}

function useColumns(draft: RuleDraft, preview: RulePreview | undefined): Columns | null {
  const fewest = draft.want === 'few';
  const { windowSeconds } = readQuestion(draft);
  const windows = preview?.windows ?? null;
  return useMemo(
    () => windows && computeColumns(windows, { fewest, windowSeconds }),
    [windows, fewest, windowSeconds],
  );
}

/** Keeps the chart's scale fixed while the user drags the line. */
function useTop(columns: Columns | null, value: number) {
  const [held, setHeld] = useState<number | null>(null);
  const wanted = columns === null ? value : findTop(columns, value);
  return {
    top: held ?? wanted,
    hold: (isHeld: boolean) => setHeld(isHeld ? wanted : null),
  };
}

/** Returns the share of the week in which the rule would have fired. */
function countFiring(
  { counts }: Columns,
  { value, isSilence }: { value: number; isSilence: boolean },
): number {
  const firing = counts.filter(count => (isSilence ? count < value : count >= value)).length;
  return counts.length === 0 ? 0 : firing / counts.length;
}

type SuggestionProps = { value: number | null; onValue: (value: string) => void };

function Suggestion({ value, onValue }: SuggestionProps) {
  if (value === null) return null;
  return (
    <Button size="small" className="justify-self-start" onClick={() => onValue(String(value))}>
      Use {formatCount(value)} instead
    </Button>
  );
}

type FiredProps = Pick<RulePreview, 'fired' | 'times'> & { share: number };

function Fired({ fired, times, share }: FiredProps) {
  if (fired === 0) return 'Would not have fired in the last week.';
  const first = times.slice(0, timesTold).map(at => formatDayTime(at));
  const others = fired - first.length;
  return (
    <>
      <strong className="font-semibold">
        Would have fired {countThings(fired, 'time')} in the last week
      </strong>
      <span className="text-muted">
        {' '}
        ({first.join('; ')}
        {others > 0 && `; and ${formatCount(others)} more`}
        ).
      </span>
      {share >= oftenShare && (
        <span>
          {' '}
          It would have been firing for about {Math.round(share * 100)} % of the week. Move the line so that
          it fires only when something is unusual.
        </span>
      )}
    </>
  );
}

function describeBars(draft: RuleDraft): string {
  const counted = draft.want === 'few' ? 'The fewest entries' : 'The most entries';
  const each = draft.by.trim() === '' ? '' : ` of any ${draft.by.trim()}`;
  return `${counted}${each} within ${formatSeconds(readQuestion(draft).windowSeconds || 0)}, per half hour over the last seven days.`;
}
