/** The form of a rule: its condition, entries and channels, with the last week beside it. */
import { limits } from '@tapedeck/client';
import type { ReactNode } from 'react';
import { placeErrors } from '../../../format/fieldErrors.ts';
import { useDraft } from '../../../queries/drafts.ts';
import type { NewRule } from '../../../queries/rules.ts';
import { isRefusedQuery } from '../../../queryBox/queryErrors.ts';
import { Button } from '../../../ui/Button.tsx';
import { TextField } from '../../../ui/forms/TextField.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { RoleLost } from '../../members/RoleLost.tsx';
import { RuleSummary } from '../RuleSummary.tsx';
import { ChannelCheckboxes } from './ChannelCheckboxes.tsx';
import { ConditionFields, type RuleErrors, ruleFields } from './ConditionFields.tsx';
import { CurrentValuePreview } from './CurrentValuePreview.tsx';
import { isOfPatterns, isOfWindows, proposeName, type RuleDraft, readQuestion, writeRule } from './draft.ts';
import { KindSelect } from './KindSelect.tsx';
import { useRulePreview } from './preview.ts';
import { QueryFields } from './QueryFields.tsx';
import { SeveritySelect } from './SeveritySelect.tsx';
import { ThresholdPanel } from './ThresholdPanel.tsx';
import { UnsavedDialog } from './UnsavedDialog.tsx';

type RuleEditorProps = {
  project: string;
  begun: RuleDraft;
  /** False once the user has lost the role that saving needs. */
  mayChange: boolean;
  /** The label of the submit button. */
  action: string;
  busy: boolean;
  error: Error | null;
  onSave: (rule: NewRule) => void;
  cancelLink: ReactNode;
};

export function RuleEditor({ project, begun, action, busy, error, ...rest }: RuleEditorProps) {
  const { mayChange, onSave, cancelLink } = rest;
  const [draft, setDraft] = useDraft({ project, form: `rule ${JSON.stringify(begun)}` }, () => begun);
  const change = (changed: Partial<RuleDraft>) => setDraft(before => ({ ...before, ...changed }));
  const failure = placeErrors(error, ruleFields, { name_taken: 'name', query_invalid: 'query' });
  const isChanged = JSON.stringify(draft) !== JSON.stringify(begun);
  return (
    <div className="grid max-w-4xl grid-cols-[minmax(0,1fr)] gap-6">
      <KindSelect want={draft.want} onChange={want => change({ want })} />
      <Watched project={project} draft={draft} failure={failure} onChange={change} error={error} />
      <p className="text-pretty">
        <span className="text-muted">It fires on </span>
        <RuleSummary rule={readQuestion(draft)} />.
      </p>
      <TextField
        label="Name"
        hint="Shown in notifications."
        placeholder={proposeName(draft)}
        autoComplete="off"
        maxLength={limits.nameCharactersMax}
        error={failure.at('name')}
        value={draft.name}
        onChange={name => change({ name })}
      />
      <SeveritySelect severity={draft.severity} onChange={severity => change({ severity })} />
      <ChannelCheckboxes
        project={project}
        chosen={draft.channels}
        error={failure.at('channels')}
        onChange={channels => change({ channels })}
      />
      {draft.channels.length === 0 && (
        <Notice look="warning">
          This rule notifies no channel, so its alerts are shown only in the dashboard.
        </Notice>
      )}
      {!mayChange && <RoleLost project={project} task="change rules" />}
      {mayChange && failure.rest && <Notice look="error">{failure.rest}</Notice>}
      <div className="flex flex-wrap gap-2.5">
        <Button look="primary" busy={busy} disabled={!mayChange} onClick={() => onSave(writeRule(draft))}>
          {action}
        </Button>
        {cancelLink}
      </div>
      <UnsavedDialog isAsked={isChanged} />
    </div>
  );
}

type WatchedProps = {
  project: string;
  draft: RuleDraft;
  failure: RuleErrors;
  error: Error | null;
  onChange: (change: Partial<RuleDraft>) => void;
};

/** Shows the rule's entries, and when it would have fired. */
function Watched({ project, draft, failure, error, onChange }: WatchedProps) {
  const previewState = useRulePreview(project, draft);
  const { want } = draft;
  const often = previewState.preview?.warnings.find(({ code }) => code === 'fires_often');
  return (
    <>
      {(isOfWindows(want) || isOfPatterns(want)) && (
        <QueryFields
          project={project}
          draft={draft}
          onChange={onChange}
          error={previewState.error ?? error}
        />
      )}
      {failure.at('query') && !isRefusedQuery(error) && <Notice look="error">{failure.at('query')}</Notice>}
      {isOfWindows(want) && (
        <>
          <ConditionFields
            project={project}
            failure={failure}
            onChange={onChange}
            draft={{ ...draft, want }}
            previewError={previewState.error}
          />
          <ThresholdPanel draft={draft} previewState={previewState} onValue={value => onChange({ value })} />
        </>
      )}
      {want === 'storage' && (
        <div className="max-w-60">
          <TextField
            label="Percent of a quota used"
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
      {!isOfWindows(want) && (
        <CurrentValuePreview project={project} draft={draft} previewState={previewState} />
      )}
      {often && !previewState.isStale && <Notice look="warning">{often.message}</Notice>}
    </>
  );
}
