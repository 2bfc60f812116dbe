/** The domain of one's own from which files are handed out. */
import { useState } from 'react';
import type { Project } from '../../queries/projects.ts';
import { Switch } from '../../ui/forms/Switch.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { DomainTest } from './DomainTest.tsx';
import { SettingsPanel } from './SettingsPanel.tsx';

const hostPattern = '[A-Za-z0-9]([A-Za-z0-9.\\-]*[A-Za-z0-9])?(:\\d{1,5})?';

export function DomainSettings({ project }: { project: Project }) {
  const [domain, setDomain] = useState(project.cdnDomain ?? '');
  const [enabled, setEnabled] = useState(project.cdnEnabled);
  const wanted = { cdnDomain: domain.trim() || null, cdnEnabled: enabled && domain.trim() !== '' };
  const isChanged = wanted.cdnDomain !== project.cdnDomain || wanted.cdnEnabled !== project.cdnEnabled;
  const reset = () => {
    setDomain(project.cdnDomain ?? '');
    setEnabled(project.cdnEnabled);
  };
  return (
    <SettingsPanel
      project={project}
      title="CDN domain"
      about="Point a domain or CDN at this service to use it in public file URLs. Changes take effect immediately."
      fields={['cdnDomain', 'cdnEnabled']}
      changes={isChanged ? wanted : null}
      onReset={reset}
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
            onChange={setDomain}
          />
          <Switch
            label="Use this domain in URLs"
            checked={enabled && domain.trim() !== ''}
            disabled={domain.trim() === ''}
            onChange={setEnabled}
          />
          {project.cdnEnabled && project.cdnDomain && !isChanged && (
            <DomainTest project={project} domain={project.cdnDomain} />
          )}
        </>
      )}
    </SettingsPanel>
  );
}
