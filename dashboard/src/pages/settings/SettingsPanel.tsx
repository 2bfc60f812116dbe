/** A panel of settings saved together. Read-only if the user's role may not change them. */
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { type FieldErrors, placeErrors } from '../../format/fieldErrors.ts';
import { type Project, type ProjectChanges, useProjectChange } from '../../queries/projects.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { showToast } from '../../ui/Toasts.tsx';

/** The props of a dialog that asks before saving. */
export type SavingQuestion = { open: boolean; onClose: () => void; onConfirm: () => void };

type SettingsPanelProps<FieldName extends string> = {
  project: Project;
  title: string;
  about: ReactNode;
  fields: readonly FieldName[];
  /** Unsaved changes; null if none. */
  changes: ProjectChanges | null;
  /** Restores the saved values. */
  onReset: () => void;
  /** True if someone saved other values since the user began to type. */
  isOutdated: boolean;
  /** For settings that need more than the project's admin role. */
  mayChange?: boolean;
  /** The dialog that asks before saving these changes; null saves without asking. */
  ask?: ((question: SavingQuestion) => ReactNode) | null;
  children: (failure: FieldErrors<FieldName>) => ReactNode;
};

export function SettingsPanel<FieldName extends string>(props: SettingsPanelProps<FieldName>) {
  const { project, changes, fields } = props;
  const change = useProjectChange(project.project);
  const failure = placeErrors(change.error, fields);
  const { mayChange = isRoleAtLeast(project.role, 'admin') } = props;
  const [asking, setAsking] = useState(false);
  const ask = props.ask ?? null;
  const save = () => {
    setAsking(false);
    const onSuccess = () => {
      showToast('Saved');
      props.onReset();
    };
    if (changes) change.mutate(changes, { onSuccess });
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (ask) setAsking(true);
    else save();
  };
  const reset = () => {
    change.reset();
    props.onReset();
  };
  return (
    <form onSubmit={submit}>
      <Panel
        title={props.title}
        about={props.about}
        footer={
          mayChange && (
            <>
              {changes && <Button onClick={reset}>Reset</Button>}
              <Button type="submit" look="primary" disabled={changes === null} busy={change.isPending}>
                Save
              </Button>
            </>
          )
        }
      >
        <fieldset disabled={!mayChange} className="grid gap-5">
          {props.children(failure)}
          {failure.rest && <Notice look="error">{failure.rest}</Notice>}
          {mayChange && props.isOutdated && changes && !change.isPending && <Outdated onReset={reset} />}
        </fieldset>
      </Panel>
      {ask?.({ open: asking, onClose: () => setAsking(false), onConfirm: save })}
    </form>
  );
}

function Outdated({ onReset }: { onReset: () => void }) {
  return (
    <Notice look="warning">
      These settings were changed elsewhere since you began. Saving here replaces that change.{' '}
      <Button size="small" onClick={onReset}>
        Show the changed settings
      </Button>
    </Notice>
  );
}
