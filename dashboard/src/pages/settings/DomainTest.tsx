/** Whether a file comes through the domain that the project's URLs name: tried from here, as visitors would. */
import { useQuery } from '@tanstack/react-query';
import { domainTestQuery } from '../../queries/domainTest.ts';
import type { Project } from '../../queries/projects.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Spinner } from '../../ui/Spinner.tsx';

export function DomainTest({ project, domain }: { project: Project; domain: string }) {
  const { data: outcome, error } = useQuery(domainTestQuery(project.project, domain));
  if (error) return <Notice look="error">{error.message}</Notice>;
  if (outcome === undefined) return <Spinner label="Trying the domain" />;
  if (outcome === 'untried')
    return (
      <p className="text-sm text-muted">Once the project has a file, this page tries the domain with it.</p>
    );
  if (outcome === 'works')
    return (
      <p role="status" className="text-sm text-good">
        The newest file has just come through this domain.
      </p>
    );
  return (
    <Notice look="warning">
      The newest file does not come through https://{domain}. The domain is kept, but links that use it will
      not open: see that its DNS record leads here, that it has a certificate, and that what stands in front
      passes the Host header on. Or switch it off until then.
    </Notice>
  );
}
