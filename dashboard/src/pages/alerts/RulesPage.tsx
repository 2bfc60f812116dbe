/** The rules of a project: what fires now first. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Empty } from '../../parts/Empty.tsx';
import { rulesQuery } from '../../queries/rules.ts';
import { countThings } from '../../text/numbers.ts';
import { AlertsHead } from './AlertsHead.tsx';

export function RulesPage() {
  const { project } = useParams({ from: '/inside/projects/$project/alerts/' });
  const { data: rules } = useSuspenseQuery(rulesQuery(project));
  return (
    <>
      <AlertsHead project={project} about="Rules watch what arrives, and tell channels when it matters." />
      <Empty title={rules.length === 0 ? 'No rules yet' : countThings(rules.length, 'rule')}>
        A rule tells your channels when something happens that you want to know at once.
      </Empty>
    </>
  );
}
