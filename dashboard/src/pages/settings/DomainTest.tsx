/** Tests from this browser, as a visitor would, whether a file loads through the project's domain. */
import { useQuery } from '@tanstack/react-query';
import { domainTestQuery } from '../../queries/domainTest.ts';
import type { Project } from '../../queries/projects.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Spinner } from '../../ui/Spinner.tsx';

export function DomainTest({ project, domain }: { project: Project; domain: string }) {
  const { data: outcome, error } = useQuery(domainTestQuery(project.project, domain));
  if (error) return <Notice look="error">{error.message}</Notice>;
  if (outcome === undefined) return <Spinner label="Testing the domain" />;
  if (outcome === 'untried')
    return <p className="text-sm text-muted">The domain is tested once the project has a file.</p>;
  if (outcome === 'works')
    return (
      <p role="status" className="text-sm text-good">
        The newest file loads through this domain.
      </p>
    );
  return (
    <Notice look="warning">
      The newest file doesn’t load through https://{domain}. The domain is saved, but its links won’t work.
      Check the DNS record, the certificate, and that your proxy passes on the Host header. Or turn it off
      until then.
    </Notice>
  );
}
