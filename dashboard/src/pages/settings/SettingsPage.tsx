/** Shows the settings of a project, each on a plate of its own. */
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
      {/* A different project is a different form: nothing typed goes along. */}
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
