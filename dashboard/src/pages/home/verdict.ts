/** Says in a sentence whether all is well, and the reasons if not. */

import type { LinkProps } from '@tanstack/react-router';
import { capitalize } from '../../format/capitals.ts';
import { isolate } from '../../format/direction.ts';
import { shorten } from '../../format/names.ts';
import { countThings, formatCount } from '../../format/numbers.ts';
import { formatBytes } from '../../format/sizes.ts';
import { formatBetween } from '../../format/timeRanges.ts';
import { formatTime } from '../../format/times.ts';
import type { Counts } from '../../queries/home.ts';
import type { Machine } from '../../queries/machine.ts';
import type { Rule } from '../../queries/rules.ts';
import type { Sessions } from '../../queries/sessions.ts';
import type { Storage } from '../../queries/storage.ts';
import { compareErrors } from './comparison.ts';
import { formatDaysLeft } from './forecast.ts';
import { findOutages } from './outage.ts';
import { type Arrivals, findSilence, type Silence } from './silence.ts';
import { findWorstErrors } from './worstErrors.ts';

/** undefined: still loading; null: the query failed. */
export type Findings = {
  hours: readonly Counts[] | null | undefined;
  /** Counts for the last hours. */
  minutes: readonly Counts[] | null | undefined;
  /** Counts for every few minutes of today and yesterday. */
  slices?: readonly Counts[] | null | undefined;
  rules: readonly Rule[] | null | undefined;
  sessions: Sessions | null | undefined;
  storage: Storage | null | undefined;
  /** Absent if the user may not see it. */
  machine?: Machine | null | undefined;
};

type Place = Pick<LinkProps, 'to' | 'params' | 'search'>;
type Reason = {
  weight: 'bad' | 'note';
  phrase: string;
  /** A link with its label. */
  way: { words: string; link: Place } | null;
};
export type Verdict = {
  state: 'looking' | 'fine' | 'note' | 'bad' | 'unknown';
  sentence: string;
  /** The facts behind the verdict, if there are no reasons. */
  detail: string;
  reasons: readonly Reason[];
};

const daysLeftBad = 3;
const daysLeftNote = 14;
const freeShareBad = 0.05;
const freeShareNote = 0.1;
const phrasesMax = 3;
const namesMax = 3;
const nameLettersMax = 40; // keeps the sentence short enough to read at a glance
const minuteMs = 60_000;
const aroundMinutes = 5; // shows how it started and ended

type Looked = { project: string; now: number };

export function reachVerdict(findings: Findings, looked: Looked): Verdict {
  const found = Object.values(findings);
  const reasons = listReasons(findings, looked);
  // Problems show at once. "All good" waits for every result.
  if (reasons.length === 0 && found.some(each => each === undefined))
    return { state: 'looking', sentence: 'Checking…', detail: 'This takes a moment.', reasons };
  const isPartial = found.some(each => each === null);
  const state = reasons.some(({ weight }) => weight === 'bad')
    ? 'bad'
    : isPartial
      ? 'unknown'
      : reasons.length > 0
        ? 'note'
        : 'fine';
  const detail = isPartial ? 'See the tiles below for errors.' : describeFine(findings);
  return { state, reasons, detail, sentence: composeSentence(reasons, isPartial) };
}

/** Claims only what was checked. */
function describeFine({ hours, rules, sessions }: Findings): string {
  const { yesterday, lastWeek } = compareErrors(hours ?? []);
  const isCompared = yesterday !== null || lastWeek !== null;
  const facts = [
    ...(rules?.some(({ enabled }) => enabled) ? ['no rule is firing'] : []),
    ...(isCompared ? ['entries and errors are normal'] : []),
    ...(sessions?.sessions.length ? ['all servers are reporting'] : []),
    'there is enough storage',
  ];
  const sentence = `${capitalize(new Intl.ListFormat('en').format(facts))}.`;
  return isCompared ? sentence : `${sentence} No error history to compare with yet.`;
}

function composeSentence(reasons: readonly Reason[], isPartial: boolean): string {
  if (reasons.length === 0) return isPartial ? 'Some checks failed.' : 'All good.';
  const phrases = reasons.slice(0, phrasesMax).map(({ phrase }) => phrase);
  const more = reasons.length - phrases.length;
  if (more > 0) phrases.push(countThings(more, 'more thing', 'more things'));
  if (isPartial) phrases.push('some checks failed');
  return phrases.map(phrase => `${capitalize(phrase)}.`).join(' ');
}

type Params = { project: string };

/** Sorts bad reasons first. */
function listReasons(findings: Findings, { project, now }: Looked): Reason[] {
  const { hours, minutes, slices, rules, sessions, storage, machine } = findings;
  const params = { project };
  const reasons = [
    ...(machine ? checkMachine(machine) : []),
    ...(rules ? checkRules(rules, params) : []),
    ...(hours ? checkLogs({ hours, minutes: minutes ?? [], slices: slices ?? [] }, params, now) : []),
    ...(storage ? checkQuota(storage, params) : []),
    ...(sessions ? evaluateSessions(sessions, params) : []),
  ];
  const isBad = ({ weight }: Reason) => weight === 'bad';
  return [...reasons.filter(isBad), ...reasons.filter(reason => !isBad(reason))];
}

function checkRules(rules: readonly Rule[], params: Params): Reason[] {
  const way = { words: 'See the rules', link: { to: '/projects/$project/alerts', params } } as const;
  const fired = rules.filter(({ state }) => state === 'firing');
  const firing = fired.map(({ name }) => name);
  const stuck = rules.filter(({ trouble }) => trouble !== null).length;
  return [
    ...(firing.length > 0
      ? [{ weight: 'bad', phrase: nameFiring(firing), way: linkToOnlyRule(fired, params) ?? way } as const]
      : []),
    ...(stuck > 0
      ? [
          {
            weight: 'note',
            phrase: countThings(stuck, 'rule can’t be evaluated', 'rules can’t be evaluated'),
            way,
          } as const,
        ]
      : []),
  ];
}

/** Returns null if several are firing. */
function linkToOnlyRule([only, ...others]: readonly Rule[], params: Params) {
  if (only === undefined || others.length > 0) return null;
  const link = { to: '/projects/$project/alerts/$rule', params: { ...params, rule: only.id } } as const;
  return { words: 'See the rule', link };
}

/** `“Script errors” is firing`; names only the first of many. */
function nameFiring(names: readonly string[]): string {
  const shown = names
    .slice(0, names.length > namesMax ? namesMax - 1 : namesMax)
    .map(name => `“${isolate(shorten(name, nameLettersMax))}”`);
  const more = names.length - shown.length;
  const all = more > 0 ? [...shown, `${formatCount(more)} more`] : shown;
  return `${new Intl.ListFormat('en').format(all)} ${names.length === 1 ? 'is' : 'are'} firing`;
}

function checkLogs(arrivals: Arrivals, params: Params, now: number): Reason[] {
  const silence = findSilence(arrivals);
  const reasons = silence === null ? [] : [describeSilence(silence, params)];
  const errors = checkErrors(arrivals, params, now);
  return [...reasons, ...checkOutages(arrivals, params, now), errors].filter(reason => reason !== null);
}

function checkOutages(arrivals: Arrivals, params: Params, now: number): Reason[] {
  const outages = findOutages(arrivals);
  return outages.map(({ fromMinutesAgo, toMinutesAgo }) => {
    const at = (minutesAgo: number) => atMinute(now, minutesAgo);
    const from = at(fromMinutesAgo);
    const phrase = `no entries ${formatBetween([from, at(toMinutesAgo)], now)}`;
    const search = { from: at(fromMinutesAgo + aroundMinutes), to: at(toMinutesAgo - aroundMinutes) };
    const link = { to: '/projects/$project/logs', params, search } as const;
    const words = outages.length === 1 ? 'See the gap' : `See the gap at ${formatTime(from)}`;
    return { weight: 'note', phrase, way: { words, link } };
  });
}

function atMinute(now: number, minutesAgo: number): string {
  return new Date(Math.floor(now / minuteMs - minutesAgo) * minuteMs).toISOString();
}

function describeSilence({ minutes, usual, unit }: Silence, params: Params): Reason {
  const span = minutes < 60 ? countThings(minutes, 'minute') : countThings(Math.floor(minutes / 60), 'hour');
  const phrase = `no entries for ${span}; usually about ${formatCount(Math.round(usual))} ${unit === 'minute' ? 'a minute' : 'an hour'}`;
  const link = { to: '/projects/$project/logs', params, search: { range: '6h' } } as const;
  return { weight: 'bad', phrase, way: { words: 'See the last entries', link } };
}

/** Judges this hour's errors, or else the worst of the last day. */
function checkErrors(arrivals: Arrivals, params: Params, now: number): Reason | null {
  const to = '/projects/$project/logs' as const;
  const query = 'level:error';
  const { now: errors, word, isAlarm, usual } = compareErrors(arrivals.hours);
  if (isAlarm) {
    const phrase =
      usual === 0 ? `${formatCount(errors)} errors in the last hour; ${word}` : `errors are ${word}`;
    const link = { to, params, search: { range: '1h', query } };
    return { weight: 'bad', phrase, way: { words: 'See the errors', link } };
  }
  const worst = findWorstErrors(arrivals);
  if (worst === null) return null;
  const at = (minutesAgo: number) => atMinute(now, minutesAgo);
  const { errors: count, fromMinutesAgo, toMinutesAgo } = worst;
  const phrase = `${formatCount(count)} errors ${formatBetween([at(fromMinutesAgo), at(toMinutesAgo)], now)}`;
  // The counts are some seconds old, so this adds a minute at both ends.
  const link = { to, params, search: { from: at(fromMinutesAgo + 1), to: at(toMinutesAgo - 1), query } };
  return { weight: 'note', phrase, way: { words: 'See the errors', link } };
}

function evaluateSessions({ quiet }: Sessions, params: Params): Reason[] {
  if (quiet.length === 0) return [];
  const phrase = countThings(quiet.length, 'server went silent', 'servers went silent');
  const way = { words: 'See the servers', link: { to: '/projects/$project/sessions', params } } as const;
  return [{ weight: 'note', phrase, way }];
}

function checkQuota({ quotaDaysLeft: days }: Storage, params: Params): Reason[] {
  if (days === null || days >= daysLeftNote) return [];
  const phrase = days === 0 ? 'the quota is full' : `the quota is full in ${formatDaysLeft(days)}`;
  const weight = days < daysLeftBad ? 'bad' : 'note';
  const way = { words: 'See the quota', link: { to: '/projects/$project/settings', params } } as const;
  return [{ weight, phrase, way }];
}

function nameTrouble(name: string): string {
  if (name === 'disk') return 'the disk is full';
  if (name === 'entries') return 'log entries are missing from the disk';
  return `the ${name} ${name.endsWith('s') ? 'have' : 'has'} a problem`;
}

function checkMachine({ disk, trouble }: Machine): Reason[] {
  const reasons = trouble.map(({ name }): Reason => {
    return { weight: 'bad', phrase: nameTrouble(name), way: null };
  });
  const isFull = trouble.some(({ name }) => name === 'disk');
  const share = disk.totalBytes === 0 ? 1 : disk.freeBytes / disk.totalBytes;
  if (!isFull && share < freeShareNote) {
    const phrase = `only ${formatBytes(disk.freeBytes)} of disk space left (${Math.floor(100 * share)} %)`;
    reasons.push({ weight: share < freeShareBad ? 'bad' : 'note', phrase, way: null });
  }
  const days = disk.daysLeft;
  if (isFull || days === null || days >= daysLeftNote) return reasons;
  const phrase = `the disk is full in ${formatDaysLeft(days)}`;
  return [...reasons, { weight: days < daysLeftBad ? 'bad' : 'note', phrase, way: null }];
}
