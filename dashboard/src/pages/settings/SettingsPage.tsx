/** Shows a project's settings, one panel each. */
import { useParams } from '@tanstack/react-router';
import { useProject } from '../../queries/projects.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { DeleteProject } from './DeleteProject.tsx';
import { DomainSettings } from './DomainSettings.tsx';
import { NameSettings } from './NameSettings.tsx';
import { QuotaSettings } from './QuotaSettings.tsx';
import { RetentionSettings } from './RetentionSettings.tsx';

export function SettingsPage() {
  const { project: slug } = useParams({ from: '/inside/projects/$project/settings' });
  const project = useProject(slug);
  return (
    <>
      <PageHead title="Settings" />
      {/* Another project gets a new form, without the typed values. */}
      <div key={slug} className="grid max-w-4xl gap-6">
        {!isRoleAtLeast(project.role, 'admin') && (
          <Notice look="plain">View only. Ask an admin to make changes. Your role is {project.role}.</Notice>
        )}
        <NameSettings project={project} />
        <DomainSettings project={project} />
        <RetentionSettings project={project} />
        <QuotaSettings project={project} />
        {project.role === 'owner' && <DeleteProject project={project} />}
      </div>
    </>
  );
}
