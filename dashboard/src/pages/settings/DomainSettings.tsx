/** Sets the project's own domain for file URLs. */
import type { Project } from '../../queries/projects.ts';
import { Switch } from '../../ui/forms/Switch.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { useEdited } from '../../ui/hooks/useEdited.ts';
import { DomainTest } from './DomainTest.tsx';
import { SettingsPanel } from './SettingsPanel.tsx';

const hostPattern = '[A-Za-z0-9]([A-Za-z0-9.\\-]*[A-Za-z0-9])?(:\\d{1,5})?';

export function DomainSettings({ project }: { project: Project }) {
  const { value, onEdit, onReset, isOutdated } = useEdited({
    domain: project.cdnDomain ?? '',
    enabled: project.cdnEnabled,
  });
  const { domain, enabled } = value;
  const wanted = { cdnDomain: domain.trim() || null, cdnEnabled: enabled && domain.trim() !== '' };
  const isChanged = wanted.cdnDomain !== project.cdnDomain || wanted.cdnEnabled !== project.cdnEnabled;
  return (
    <SettingsPanel
      project={project}
      title="CDN domain"
      about="Point a domain or CDN at this service to use it in public file URLs. Changes take effect immediately."
      fields={['cdnDomain', 'cdnEnabled']}
      changes={isChanged ? wanted : null}
      onReset={onReset}
      isOutdated={isOutdated}
    >
      {failure => (
        <>
          <TextField
            label="Domain"
            mono
            placeholder="cdn.example.com"
            spellCheck={false}
            autoCapitalize="none"
            maxLength={253}
            pattern={hostPattern}
            title="Host name only, without https:// or a path."
            hint={
              <span className="font-mono text-[0.9em] break-all">
                https://{domain.trim() || 'cdn.example.com'}/{project.project}/…
              </span>
            }
            error={failure.at('cdnDomain') ?? failure.at('cdnEnabled')}
            value={domain}
            onChange={typed => onEdit({ ...value, domain: typed })}
          />
          <Switch
            label="Use this domain in URLs"
            checked={enabled && domain.trim() !== ''}
            disabled={domain.trim() === ''}
            onChange={isOn => onEdit({ ...value, enabled: isOn })}
          />
          {project.cdnEnabled && project.cdnDomain && !isChanged && (
            <DomainTest project={project} domain={project.cdnDomain} />
          )}
        </>
      )}
    </SettingsPanel>
  );
}
