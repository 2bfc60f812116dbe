/** Whether all is well, in a sentence, with the reasons why not. */
import type { LinkProps } from '@tanstack/react-router';
import type { Counts } from '../../queries/home.ts';
import type { Machine } from '../../queries/machine.ts';
import type { Rule } from '../../queries/rules.ts';
import type { Sessions } from '../../queries/sessions.ts';
import type { Storage } from '../../queries/storage.ts';
import { countThings, formatCount } from '../../text/numbers.ts';
import { compareEntries, compareErrors } from './comparison.ts';
import { sayDays } from './lasting.ts';

/** undefined: not known yet; null: it could not be looked at. */
export type Findings = {
  hours: readonly Counts[] | null | undefined;
  rules: readonly Rule[] | null | undefined;
  sessions: Sessions | null | undefined;
  storage: Storage | null | undefined;
  /** Absent: not for this user. */
  machine?: Machine | null | undefined;
};

type Place = Pick<LinkProps, 'to' | 'params' | 'search'>;
type Reason = {
  weight: 'bad' | 'note';
  phrase: string;
  /** Where to look closer, in words. */
  way: { words: string; link: Place } | null;
};
export type Verdict = {
  state: 'looking' | 'fine' | 'note' | 'bad' | 'unknown';
  sentence: string;
  /** What it rests on, where there are no reasons. */
  detail: string;
  reasons: readonly Reason[];
};

const entriesAnHourMin = 10; // fewer may well be none for an hour
const daysLeftBad = 3;
const daysLeftNote = 14;
const phrasesMax = 3;

export function reachVerdict(findings: Findings, project: string): Verdict {
  const found = Object.values(findings);
  const reasons = listReasons(findings, { project });
  // What is wrong is said at once, and that all is well when everything was looked at.
  if (reasons.length === 0 && found.some(each => each === undefined))
    return { state: 'looking', sentence: 'Looking around…', detail: 'This takes a moment.', reasons };
  const isPartial = found.some(each => each === null);
  const state = reasons.some(({ weight }) => weight === 'bad')
    ? 'bad'
    : isPartial
      ? 'unknown'
      : reasons.length > 0
        ? 'note'
        : 'fine';
  const detail = isPartial ? 'The tiles below say what failed.' : describeFine(findings);
  return { state, reasons, detail, sentence: composeSentence(reasons, isPartial) };
}

/** Claims no more than was looked at. */
function describeFine({ hours }: Findings): string {
  const { yesterday, lastWeek } = compareErrors(hours ?? []);
  const isCompared = yesterday !== null || lastWeek !== null;
  return isCompared
    ? 'No rule fires, errors are as usual, no server went quiet, and there is room.'
    : 'No rule fires, no server went quiet, and there is room. Errors have nothing to be compared with yet.';
}

function composeSentence(reasons: readonly Reason[], isPartial: boolean): string {
  if (reasons.length === 0) return isPartial ? 'Not everything could be looked at.' : 'All fine.';
  const phrases = reasons.slice(0, phrasesMax).map(({ phrase }) => phrase);
  const more = reasons.length - phrases.length;
  if (more > 0) phrases.push(countThings(more, 'thing more', 'things more'));
  const last = phrases.pop() ?? '';
  const sentence = phrases.length === 0 ? last : `${phrases.join(', ')} and ${last}`;
  const rest = isPartial ? ' Not everything could be looked at.' : '';
  return `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}.${rest}`;
}

type Params = { project: string };

/** The bad ones first. */
function listReasons({ hours, rules, sessions, storage, machine }: Findings, params: Params): Reason[] {
  const reasons = [
    ...(machine ? judgeMachine(machine) : []),
    ...(rules ? judgeRules(rules, params) : []),
    ...(hours ? judgeLogs(hours, params) : []),
    ...(storage ? judgeQuota(storage, params) : []),
    ...(sessions ? judgeSessions(sessions, params) : []),
  ];
  const isBad = ({ weight }: Reason) => weight === 'bad';
  return [...reasons.filter(isBad), ...reasons.filter(reason => !isBad(reason))];
}

function judgeRules(rules: readonly Rule[], params: Params): Reason[] {
  const way = { words: 'See the rules', link: { to: '/projects/$project/alerts', params } } as const;
  const firing = rules.filter(({ state }) => state === 'firing').length;
  const stuck = rules.filter(({ trouble }) => trouble !== null).length;
  return [
    ...(firing > 0
      ? [{ weight: 'bad', phrase: countThings(firing, 'rule fires', 'rules fire'), way } as const]
      : []),
    ...(stuck > 0
      ? [
          {
            weight: 'note',
            phrase: countThings(stuck, 'rule cannot be judged', 'rules cannot be judged'),
            way,
          } as const,
        ]
      : []),
  ];
}

function judgeLogs(hours: readonly Counts[], params: Params): Reason[] {
  const to = '/projects/$project/logs' as const;
  const { now, word, isAlarm } = compareErrors(hours);
  const entries = compareEntries(hours);
  if (entries.now === 0 && entries.usual !== null && entries.usual >= entriesAnHourMin) {
    const phrase = `nothing was logged in the last hour, where ${formatCount(entries.usual)} entries are usual`;
    const way = { words: 'See the last entries', link: { to, params, search: { range: '6h' } } };
    return [{ weight: 'bad', phrase, way }];
  }
  if (!isAlarm) return [];
  const phrase = word.startsWith('where')
    ? `there are ${formatCount(now)} errors ${word}`
    : `errors are ${word}`;
  const link = { to, params, search: { range: '1h', query: 'level:error' } };
  return [{ weight: 'bad', phrase, way: { words: 'See the errors', link } }];
}

function judgeSessions({ quiet }: Sessions, params: Params): Reason[] {
  if (quiet.length === 0) return [];
  const phrase = countThings(quiet.length, 'server went quiet', 'servers went quiet');
  const way = { words: 'See the servers', link: { to: '/projects/$project/sessions', params } } as const;
  return [{ weight: 'note', phrase, way }];
}

function judgeQuota({ quotaDaysLeft: days }: Storage, params: Params): Reason[] {
  if (days === null || days >= daysLeftNote) return [];
  const phrase = days === 0 ? 'the quota is full' : `the quota is full in ${sayDays(days)}`;
  const weight = days < daysLeftBad ? 'bad' : 'note';
  const way = { words: 'See the quota', link: { to: '/projects/$project/settings', params } } as const;
  return [{ weight, phrase, way }];
}

function judgeMachine({ disk, trouble }: Machine): Reason[] {
  const troubles = trouble.map(({ name }) => `the ${name} ${name.endsWith('s') ? 'are' : 'is'} in trouble`);
  const reasons = troubles.map((phrase): Reason => ({ weight: 'bad', phrase, way: null }));
  const days = disk.daysLeft;
  if (days === null || days >= daysLeftNote) return reasons;
  const phrase = `the disk is full in ${sayDays(days)}`;
  return [...reasons, { weight: days < daysLeftBad ? 'bad' : 'note', phrase, way: null }];
}
