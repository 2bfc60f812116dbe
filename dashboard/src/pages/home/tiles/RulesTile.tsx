/** Lists the firing rules. */

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { capitalize } from '../../../format/capitals.ts';
import { isolate } from '../../../format/direction.ts';
import { shorten } from '../../../format/names.ts';
import { countThings, formatCount } from '../../../format/numbers.ts';
import { type Channel, channelsQuery } from '../../../queries/channels.ts';
import { type FiringRule, type Rule, rulesQuery } from '../../../queries/rules.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { nameActor } from '../../alerts/AcknowledgedBy.tsx';
import { FiredText } from '../../alerts/FiredText.tsx';
import { describeRule } from '../../alerts/ruleSummary.ts';
import { aboveLink, Figure, Tile } from './Tile.tsx';

const shownMax = 2; // so that the tile is as tall as those beside it: one with its summary, or two in a line each
const nameLettersMax = 24; // the names of several channels share a few lines

export function RulesTile({ project }: { project: string }) {
  const found = useQuery(rulesQuery(project));
  return (
    <Tile title="Firing rules" link={{ to: '/projects/$project/alerts', params: { project } }} found={found}>
      {rules =>
        rules.length === 0 ? <NoRules project={project} /> : <Rules project={project} rules={rules} />
      }
    </Tile>
  );
}

type RulesProps = { project: string; rules: readonly Rule[] };

function Rules({ project, rules }: RulesProps) {
  const firing = rules.flatMap(rule => rule.firing.map(each => ({ ...each, rule })));
  const count = rules.filter(({ state }) => state === 'firing').length;
  const stuck = rules.filter(({ trouble }) => trouble !== null).length;
  const shown = firing.toSorted((one, other) => (one.since < other.since ? 1 : -1)).slice(0, shownMax);
  return (
    <>
      <Figure figure={count === 0 ? 'None' : formatCount(count)}>
        of {countThings(rules.filter(({ enabled }) => enabled).length, 'active rule')}
      </Figure>
      {shown.length > 0 && (
        <ul className="divide-y divide-line/60 text-sm">
          {shown.map(firing => (
            <FiringLine
              key={`${firing.rule.id} ${firing.value}`}
              project={project}
              firing={firing}
              isAlone={shown.length === 1}
            />
          ))}
        </ul>
      )}
      <p className="line-clamp-2 text-sm wrap-anywhere text-muted empty:hidden">
        {firing.length > shown.length && `And ${formatCount(firing.length - shown.length)} more. `}
        {stuck > 0 && `${countThings(stuck, 'rule', 'rules')} can’t be evaluated right now. `}
        <Recipients project={project} rules={rules} />
      </p>
    </>
  );
}

/** `isAlone`: there is space for a second line. */
type FiringLineProps = { project: string; firing: FiringRule; isAlone: boolean };

/** Links to the rule, where users can acknowledge the alert. */
function FiringLine({ project, firing: { rule, value, since, acknowledged }, isAlone }: FiringLineProps) {
  const summary = capitalizeRule(rule);
  return (
    <li className="flex items-baseline gap-2 py-1">
      <Icon name="bell" className="size-3.5 translate-y-0.5 text-danger" />
      <span className="min-w-0 flex-1 truncate">
        <Link
          to="/projects/$project/alerts/$rule"
          params={{ project, rule: rule.id }}
          className={`${aboveLink} inline-block min-h-6 ${isAlone || value === null ? 'max-w-full' : 'max-w-[70%]'} truncate align-bottom phone:min-h-11`}
        >
          <bdi>{rule.name}</bdi>
        </Link>
        <span className={`text-[0.82rem] ${isAlone ? 'block truncate' : 'pl-2'}`} title={summary}>
          {value !== null && <FiredText project={project} rule={rule} value={value} className="pr-2" />}
          {acknowledged && <span className="pr-2">{nameActor(acknowledged.by)} is on it</span>}
          {isAlone && <span className="text-muted">{summary}</span>}
        </span>
      </span>
      <span className="text-muted">
        <Timestamp at={since} />
      </span>
    </li>
  );
}

function capitalizeRule(rule: Rule): string {
  const text = describeRule(rule)
    .map(piece => piece.text)
    .join('');
  return capitalize(text);
}

/** Says who gets notified, and which deliveries fail. */
function Recipients({ project, rules }: RulesProps) {
  const { data: channels } = useQuery(channelsQuery(project));
  if (channels === undefined) return null;
  const ids = new Set(rules.filter(({ enabled }) => enabled).flatMap(rule => rule.channels));
  const named = channels.filter(({ id }) => ids.has(id));
  const isWell = ({ enabled, failingSince }: Channel) => enabled && failingSince === null;
  const well = named.filter(isWell).map(({ name }) => name);
  const others = named.filter(channel => !isWell(channel)).map(({ name }) => name);
  const list = (names: readonly string[]) =>
    new Intl.ListFormat('en').format(names.map(name => isolate(shorten(name, nameLettersMax))));
  return (
    <span>
      {well.length > 0 && `Notifies ${list(well)}. `}
      {others.length > 0 && (
        <strong className="font-medium text-danger">Deliveries to {list(others)} are failing.</strong>
      )}
      {named.length === 0 && 'No one is notified: no active rule has a channel.'}
    </span>
  );
}

function NoRules({ project }: { project: string }) {
  return (
    <>
      <Figure figure="None" />
      <p className="text-sm text-pretty wrap-anywhere text-muted">
        No rules yet. Create one to be notified when errors pile up, a server goes silent or something new is
        logged.{' '}
        <Link to="/projects/$project/alerts" params={{ project }} className={aboveLink}>
          See the alerts
        </Link>
      </p>
    </>
  );
}
