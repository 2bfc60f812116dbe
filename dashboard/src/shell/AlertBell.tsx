/** Shows the number of firing rules, and lists them with links to the rule and to the logs of that time. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { countThings, formatCount, formatMeasure } from '../format/numbers.ts';
import { AcknowledgedBy } from '../pages/alerts/AcknowledgedBy.tsx';
import { countedWords } from '../pages/alerts/rule/HistoryLink.tsx';
import { searchAtMoment } from '../pages/alerts/rule/historySearch.ts';
import { firesByPattern } from '../pages/alerts/ruleState.ts';
import { type FiringRule, firingRulesQuery, type Rule, rulesQuery } from '../queries/rules.ts';
import { Icon } from '../ui/Icon.tsx';
import { Menu, MenuLine, MenuLink } from '../ui/Menu.tsx';
import { Timestamp } from '../ui/Timestamp.tsx';
import { useOpenProject } from './currentProject.ts';

const shownMax = 8;
const countedMax = 99;

export function AlertBell() {
  const project = useOpenProject()?.project;
  return project === undefined ? null : <ProjectBell project={project} />;
}

function ProjectBell({ project }: { project: string }) {
  const { data: firing, isError } = useQuery(firingRulesQuery(project));
  const rules = new Set(firing?.map(({ rule }) => rule.id)).size;
  return (
    <Menu align="end" trigger={<BellButton rules={rules} />}>
      {firing === undefined && (
        <p className="px-2.5 py-2 text-sm text-muted">{isError ? 'Not available right now.' : 'Loading…'}</p>
      )}
      {firing?.length === 0 && <Quiet project={project} />}
      {firing?.slice(0, shownMax).map(each => (
        <FiringItem key={`${each.rule.id} ${each.value}`} project={project} firing={each} />
      ))}
      {firing !== undefined && firing.length > shownMax && (
        <p className="px-2.5 py-1 text-sm text-muted">and {formatCount(firing.length - shownMax)} more</p>
      )}
      <MenuLine />
      <MenuLink to={<Link to="/projects/$project/alerts" params={{ project }} />}>
        <Icon name="bell" />
        All rules
      </MenuLink>
    </Menu>
  );
}

/** No alerts is good news only if a rule is watching. */
function Quiet({ project }: { project: string }) {
  const { data: watching = 0 } = useQuery({ ...rulesQuery(project), select: countWatching });
  return (
    <p className="max-w-72 px-2.5 py-2 text-sm text-pretty text-muted">
      {watching === 0
        ? 'No rules yet. Create one to be notified when errors pile up or a server goes silent.'
        : `No rule is firing. ${countThings(watching, 'rule is on', 'rules are on')}.`}
    </p>
  );
}

function countWatching(rules: readonly Rule[]): number {
  return rules.filter(({ enabled }) => enabled).length;
}

/** The menu passes its props and ref to the button. */
function BellButton({ rules, ...rest }: { rules: number }) {
  const words =
    rules === 0
      ? 'Alerts: none firing'
      : `Alerts: ${countThings(rules, 'rule is firing', 'rules are firing')}`;
  return (
    <button
      type="button"
      {...rest}
      aria-label={words}
      title={words}
      className={`relative grid size-10 shrink-0 place-items-center rounded-lg hover:bg-ink/5 ${rules === 0 ? 'text-muted hover:text-ink' : 'text-danger'}`}
    >
      <Icon name="bell" className="size-5" />
      {rules > 0 && (
        <span
          aria-hidden="true"
          className="absolute top-0.5 right-0 min-w-4.5 rounded-full bg-danger-fill px-1 text-center font-mono text-[0.7rem] leading-4.5 text-white"
        >
          {rules > countedMax ? `${countedMax}+` : rules}
        </span>
      )}
    </button>
  );
}

function FiringItem({ project, firing }: { project: string; firing: FiringRule }) {
  const { rule, value, since, count, acknowledged } = firing;
  const search = searchAtMoment(rule, { at: since, value });
  const counted = countedWords(rule, formatMeasure(count));
  return (
    <div className="flex items-stretch">
      <MenuLink
        to={
          <Link
            to="/projects/$project/alerts/$rule"
            params={{ project, rule: rule.id }}
            className="min-w-0 flex-1"
          />
        }
      >
        <span aria-hidden="true" className="size-2 shrink-0 rounded-full bg-danger-fill" />
        <span className="grid min-w-0">
          <span className="truncate font-medium">{rule.name}</span>
          <span className="truncate text-[0.82rem] text-muted">
            {value !== null && !firesByPattern(rule) && <bdi className="font-mono">{value} </bdi>}
            {counted !== '' && `${counted}, `}
            <Timestamp at={since} />
          </span>
          {acknowledged && (
            <span className="truncate text-[0.82rem] text-muted">
              <AcknowledgedBy {...acknowledged} />
            </span>
          )}
        </span>
      </MenuLink>
      {search && (
        <MenuLink
          to={
            <Link
              to="/projects/$project/logs"
              params={{ project }}
              search={{ ...search, to: undefined }}
              aria-label={`The entries of ${rule.name}`}
              title="The entries"
            />
          }
        >
          <Icon name="lines" className="text-muted" />
        </MenuLink>
      )}
    </div>
  );
}
