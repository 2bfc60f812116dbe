/** Writes a rule: what somebody wants to be told of, from which entries on, and whom; with the last week beside it. */
import { limits } from '@tapedeck/client';
import { type ReactNode, useState } from 'react';
import { Button } from '../../../parts/Button.tsx';
import { Notice } from '../../../parts/Notice.tsx';
import { TextField } from '../../../parts/TextField.tsx';
import type { NewRule } from '../../../queries/rules.ts';
import { placeFailure } from '../../../text/failures.ts';
import { isRefusedQuery } from '../../logs/box/mistakes.ts';
import { RuleWords } from '../RuleWords.tsx';
import { ChannelTicks } from './ChannelTicks.tsx';
import { ConditionFields, type RuleFailure, ruleFields } from './ConditionFields.tsx';
import { isOfWindows, proposeName, type RuleDraft, readQuestion, writeRule } from './draft.ts';
import { useForesight } from './foresight.ts';
import { LeavingQuestion } from './LeavingQuestion.tsx';
import { OtherForesight } from './OtherForesight.tsx';
import { QuestionFields } from './QuestionFields.tsx';
import { ThresholdPanel } from './ThresholdPanel.tsx';
import { WantChoice } from './WantChoice.tsx';

type RuleEditorProps = {
  project: string;
  begun: RuleDraft;
  /** The button that does it. */
  action: string;
  busy: boolean;
  error: Error | null;
  onSave: (rule: NewRule) => void;
  cancelLink: ReactNode;
};

export function RuleEditor({ project, begun, action, busy, error, ...rest }: RuleEditorProps) {
  const { onSave, cancelLink } = rest;
  const [draft, setDraft] = useState(begun);
  const change = (changed: Partial<RuleDraft>) => setDraft(before => ({ ...before, ...changed }));
  const failure = placeFailure(error, ruleFields, { name_taken: 'name', query_invalid: 'query' });
  const isChanged = JSON.stringify(draft) !== JSON.stringify(begun);
  return (
    <div className="grid max-w-4xl grid-cols-[minmax(0,1fr)] gap-6">
      <WantChoice want={draft.want} onChange={want => change({ want })} />
      <Watched {...{ project, draft, failure, onChange: change }} error={error} />
      <p className="text-pretty">
        <span className="text-muted">It fires on </span>
        <RuleWords rule={readQuestion(draft)} />.
      </p>
      <TextField
        label="Name"
        hint="As it stands in messages."
        placeholder={proposeName(draft)}
        autoComplete="off"
        maxLength={limits.nameCharactersMax}
        error={failure.at('name')}
        value={draft.name}
        onChange={name => change({ name })}
      />
      <ChannelTicks
        project={project}
        chosen={draft.channels}
        error={failure.at('channels')}
        onChange={channels => change({ channels })}
      />
      {failure.rest && <Notice look="error">{failure.rest}</Notice>}
      <div className="flex flex-wrap gap-2.5">
        <Button look="primary" busy={busy} onClick={() => onSave(writeRule(draft))}>
          {action}
        </Button>
        {cancelLink}
      </div>
      <LeavingQuestion isAsked={isChanged} />
    </div>
  );
}

type WatchedProps = {
  project: string;
  draft: RuleDraft;
  failure: RuleFailure;
  error: Error | null;
  onChange: (change: Partial<RuleDraft>) => void;
};

/** What the rule looks at, and what it would have found. */
function Watched({ project, draft, failure, error, onChange }: WatchedProps) {
  const foresight = useForesight(project, draft);
  const { want } = draft;
  return (
    <>
      {(isOfWindows(want) || want === 'new') && (
        <QuestionFields {...{ project, draft, onChange }} error={foresight.error ?? error} />
      )}
      {failure.at('query') && !isRefusedQuery(error) && <Notice look="error">{failure.at('query')}</Notice>}
      {isOfWindows(want) && (
        <>
          <ConditionFields
            {...{ project, failure, onChange }}
            draft={{ ...draft, want }}
            previewError={foresight.error}
          />
          <ThresholdPanel {...{ draft, foresight }} onValue={value => onChange({ value })} />
        </>
      )}
      {want === 'storage' && (
        <div className="max-w-60">
          <TextField
            label="This much of a quota"
            type="number"
            inputMode="decimal"
            min={1}
            max={100}
            unit="%"
            error={failure.at('condition.value')}
            value={draft.percent}
            onChange={percent => onChange({ percent })}
          />
        </div>
      )}
      {!isOfWindows(want) && <OtherForesight {...{ project, draft, foresight }} />}
    </>
  );
}
