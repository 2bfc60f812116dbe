/** Sets the name of a project and its name in URLs. */
import { limits } from '@tapedeck/client';
import type { Project } from '../../queries/projects.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Field } from '../../ui/forms/Field.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { useEdited } from '../../ui/hooks/useEdited.ts';
import { SettingsPanel } from './SettingsPanel.tsx';

export function NameSettings({ project }: { project: Project }) {
  const { value: name, onEdit, onReset, isOutdated } = useEdited(project.name);
  const changes = name.trim() === project.name ? null : { name: name.trim() };
  return (
    <SettingsPanel
      project={project}
      title="Name"
      about="The name is shown to people. The slug is used in URLs and never changes."
      fields={['name']}
      changes={changes}
      onReset={onReset}
      isOutdated={isOutdated}
    >
      {failure => (
        <div className="grid items-start gap-5 sm:grid-cols-2">
          <TextField
            label="Name"
            required
            maxLength={limits.nameCharactersMax}
            error={failure.at('name')}
            value={name}
            onChange={onEdit}
          />
          <Field label="Slug">
            {control => (
              <span className="flex min-h-10 items-center gap-2">
                <output {...control} className="font-mono text-[0.92em] wrap-anywhere">
                  {project.project}
                </output>
                <CopyButton text={project.project} label="Copy slug" />
              </span>
            )}
          </Field>
        </div>
      )}
    </SettingsPanel>
  );
}
