/** Sets the retention of media by type and folder. */
import { type MediaType, mediaTypes } from '@tapedeck/client';
import { useMemo } from 'react';
import type { Project } from '../../queries/projects.ts';
import { DaysField } from '../../ui/forms/DaysField.tsx';
import { useEdited } from '../../ui/hooks/useEdited.ts';
import { FolderRules } from './FolderRules.tsx';
import { RetentionQuestion } from './RetentionQuestion.tsx';
import {
  findShortened,
  isSameRetention,
  readRetention,
  type TypedRetention,
  writeRetention,
} from './retention.ts';
import { SettingsPanel } from './SettingsPanel.tsx';

const names: Readonly<Record<MediaType, string>> = { image: 'Images', video: 'Video', audio: 'Audio' };

export function RetentionSettings({ project }: { project: Project }) {
  // Memoized, because each call gives folders new form keys.
  const saved = useMemo(() => writeRetention(project.retention), [project.retention]);
  const { value: typed, onEdit: setTyped, onReset, isOutdated } = useEdited<TypedRetention>(saved);
  const retention = readRetention(typed);
  const isOne = new Set(Object.values(typed.days)).size === 1;
  const changes = isSameRetention(retention, project.retention) ? null : { retention };
  const shortened = findShortened(project.retention, retention);
  return (
    <SettingsPanel
      project={project}
      title="Media retention"
      about="Files older than this are deleted, unless uploaded as exempt. Leave empty to keep them forever."
      fields={['retention']}
      changes={changes}
      ask={
        shortened === null
          ? null
          : question => <RetentionQuestion {...question} project={project.project} days={shortened} />
      }
      onReset={onReset}
      isOutdated={isOutdated}
    >
      {failure => (
        <>
          <div className="grid items-start gap-5 sm:grid-cols-4">
            <DaysField
              label="All types"
              days={isOne ? typed.days.image : ''}
              {...(!isOne && { placeholder: 'differs' })}
              onChange={days => setTyped({ ...typed, days: { image: days, video: days, audio: days } })}
            />
            {mediaTypes.map(type => (
              <DaysField
                key={type}
                label={names[type]}
                days={typed.days[type]}
                onChange={days => setTyped({ ...typed, days: { ...typed.days, [type]: days } })}
              />
            ))}
          </div>
          <FolderRules
            rules={typed.folders}
            error={failure.at('retention')}
            onChange={folders => setTyped({ ...typed, folders })}
          />
        </>
      )}
    </SettingsPanel>
  );
}
