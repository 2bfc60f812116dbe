/** Sets a project's quotas. */
import { Link } from '@tanstack/react-router';
import { joinSize, type SizeUnit, sizeUnits, splitSize } from '../../format/sizes.ts';
import type { Project, ProjectChanges } from '../../queries/projects.ts';
import { useMe } from '../../queries/session.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { styleButton } from '../../ui/Button.tsx';
import { Select } from '../../ui/forms/Select.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { useEdited } from '../../ui/hooks/useEdited.ts';
import { Icon } from '../../ui/Icon.tsx';
import { SettingsPanel } from './SettingsPanel.tsx';

type Typed = { amount: string; unit: SizeUnit; files: string };

export function QuotaSettings({ project }: { project: Project }) {
  const { isOwner } = useMe();
  const { value: typed, onEdit: setTyped, onReset, isOutdated } = useEdited(writeQuotas(project));
  const wanted = {
    bytesMax: typed.amount === '' ? null : joinSize(typed, project.bytesMax),
    filesMax: typed.files === '' ? null : Number(typed.files),
  };
  return (
    <SettingsPanel
      project={project}
      title="Quotas"
      about={`Uploads beyond these are refused. ${
        isOwner ? 'Leave empty for no limit.' : 'Only installation owners can change them.'
      }`}
      mayChange={isOwner}
      fields={['bytesMax', 'filesMax']}
      changes={findChanges(project, wanted)}
      onReset={onReset}
      isOutdated={isOutdated}
    >
      {failure => (
        <div className="grid items-start gap-5 sm:grid-cols-2">
          <div className="grid grid-cols-[1fr_6.5rem] items-start gap-2.5">
            <TextField
              label="Storage"
              type="number"
              inputMode="decimal"
              min={0}
              step="any"
              placeholder="no limit"
              error={failure.at('bytesMax')}
              value={typed.amount}
              onChange={amount => setTyped({ ...typed, amount })}
            />
            <span className="mt-6.5 grid">
              <Select
                aria-label="Unit of storage"
                value={typed.unit}
                options={sizeUnits.map(unit => ({ value: unit, label: unit === 'B' ? 'bytes' : unit }))}
                onChange={unit => setTyped({ ...typed, unit })}
              />
            </span>
          </div>
          <TextField
            label="Files"
            type="number"
            inputMode="numeric"
            min={0}
            step={1}
            placeholder="no limit"
            error={failure.at('filesMax')}
            value={typed.files}
            onChange={files => setTyped({ ...typed, files })}
          />
          {isRoleAtLeast(project.role, 'admin') && <AlertLink project={project.project} />}
        </div>
      )}
    </SettingsPanel>
  );
}

type Quotas = Pick<Project, 'bytesMax' | 'filesMax'>;

/** Sends only the changed quota, because someone else may have changed the other. */
function findChanges(saved: Quotas, { bytesMax, filesMax }: Quotas): ProjectChanges | null {
  const changes = {
    ...(bytesMax !== saved.bytesMax && { bytesMax }),
    ...(filesMax !== saved.filesMax && { filesMax }),
  };
  return Object.keys(changes).length > 0 ? changes : null;
}

function AlertLink({ project }: { project: string }) {
  return (
    <Link
      to="/projects/$project/alerts/new"
      params={{ project }}
      search={{ want: 'storage' }}
      className={`${styleButton({ size: 'small' })} justify-self-start`}
    >
      <Icon name="bell" />
      Alert me before they are used up
    </Link>
  );
}

function writeQuotas({ bytesMax, filesMax }: Project): Typed {
  const size = bytesMax === null ? ({ amount: '', unit: 'GiB' } as const) : splitSize(bytesMax);
  return { ...size, files: filesMax === null ? '' : String(filesMax) };
}
