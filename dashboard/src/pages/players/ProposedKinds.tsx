/** Kinds of subjects that the metadata suggests. An admin confirms one with a click. */
import { useQuery } from '@tanstack/react-query';
import { countThings } from '../../format/numbers.ts';
import { type Project, useProjectChange } from '../../queries/projects.ts';
import { type SubjectProposal, subjectProposalsQuery } from '../../queries/subjects.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { ConnectLink } from '../connect/ConnectLink.tsx';
import { nameKind } from './subjectNames.ts';

type ProposedKindsProps = { project: Project; mayConfirm: boolean };

export function ProposedKinds({ project, mayConfirm }: ProposedKindsProps) {
  const { data: proposed, error } = useQuery(subjectProposalsQuery(project.project));
  // Hides confirmed kinds, because the service takes some seconds to update the list.
  const data = proposed?.filter(({ kind }) => project.subjects.every(each => each.kind !== kind));
  const isNew = project.subjects.length === 0;
  if (error) return <Notice look="error">{error.message}</Notice>;
  if (data === undefined) return isNew ? <Spinner /> : null;
  if (data.length === 0)
    return isNew ? (
      <EmptyState title="No players yet" action={<ConnectLink project={project.project} />}>
        Send log entries or files with player.id and player.name in their metadata, and they appear here.
      </EmptyState>
    ) : null;
  if (!mayConfirm)
    return isNew ? (
      <Notice look="plain">
        Logs and files mention {data.map(({ kind }) => `${kind}s`).join(' and ')}. An admin can confirm them
        on this page.
      </Notice>
    ) : null;
  return (
    <Panel
      title="Found in your metadata"
      about="Confirm what these fields identify to get a page for each one."
    >
      <ul className="grid gap-4">
        {data.map(proposal => (
          <Proposal key={proposal.kind} project={project} proposal={proposal} />
        ))}
      </ul>
    </Panel>
  );
}

function Proposal({ project, proposal }: { project: Project; proposal: SubjectProposal }) {
  const change = useProjectChange(project.project);
  const { kind, idPaths, namePaths } = proposal;
  const confirm = () => change.mutate({ subjects: [...project.subjects, { kind, idPaths, namePaths }] });
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="grid min-w-0 gap-1.5">
        <h3 className="font-medium">{nameKind(kind)}</h3>
        <p className="flex flex-wrap gap-1.5 text-sm text-muted">
          {[...idPaths, ...namePaths].map(path => (
            <Badge key={path}>{path}</Badge>
          ))}
        </p>
        <p className="text-sm text-muted">{describeSources(proposal)}</p>
        {change.error && <Notice look="error">{change.error.message}</Notice>}
      </div>
      <Button look="primary" busy={change.isPending} onClick={confirm}>
        <Icon name="check" />
        {`Confirm “${nameKind(kind)}”`}
      </Button>
    </li>
  );
}

/** Names only places where the kind occurs. */
function describeSources({ entries, files }: SubjectProposal): string {
  const places = [
    ...(entries > 0 ? [countThings(entries, 'log entry', 'log entries')] : []),
    ...(files > 0 ? [countThings(files, 'file')] : []),
  ];
  return `In ${places.join(' and ')}`;
}
