/** A plate with settings that are saved together. Without the role to change them it only shows them. */
import type { ReactNode, SubmitEvent } from 'react';
import { Button } from '../../parts/Button.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { say } from '../../parts/Toasts.tsx';
import { type Project, type ProjectChanges, useProjectChange } from '../../queries/projects.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { type Placed, placeFailure } from '../../text/failures.ts';

type SettingsPanelProps<FieldName extends string> = {
  project: Project;
  title: string;
  about: ReactNode;
  fields: readonly FieldName[];
  /** What would be sent now; null while nothing is changed. */
  changes: ProjectChanges | null;
  onReset: () => void;
  children: (failure: Placed<FieldName>) => ReactNode;
};

export function SettingsPanel<FieldName extends string>(props: SettingsPanelProps<FieldName>) {
  const { project, changes, fields } = props;
  const change = useProjectChange(project.project);
  const [first] = fields;
  const failure = placeFailure(change.error, fields, first ? { name_taken: first } : {});
  const mayChange = isRoleAtLeast(project.role, 'admin');
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    if (changes) change.mutate(changes, { onSuccess: () => say('Saved') });
  };
  const reset = () => {
    change.reset();
    props.onReset();
  };
  return (
    <form onSubmit={save}>
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
        </fieldset>
      </Panel>
    </form>
  );
}
