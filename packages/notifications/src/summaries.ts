/** Summarises an event in sentences, independent of any service. Leaves texts of others unescaped. */
import type {
  EventEntry,
  EventRule,
  FileEvent,
  MergedChange,
  MergedRulesEvent,
  NotificationEvent,
  RuleEvent,
  RuleTroubleEvent,
  SessionEvent,
} from './events.ts';
import { formatNumber, formatSpan, formatTime, writeCount } from './formatting.ts';

export type Tone = 'firing' | 'resolved' | 'trouble' | 'plain';

/** `code` is a text of others, shown character by character. */
export type Fact = { name: string; value: string; form: 'words' | 'code' };

export type Summary = {
  tone: Tone;
  /** Says what happened, in a word or two. */
  state: string;
  /** The name of what it is about; a text of others. */
  subject: string;
  sentence: string;
  facts: Fact[];
  /** One line per change. */
  lines: string[];
  entries: readonly EventEntry[];
  counts: readonly number[];
  at: number;
  project: string;
  url: string;
  urlWords: string;
};

const entriesMax = 3; // CONTRACT.md, 10
const linesMax = 10;
const factsMax = 8;

export function summarize(event: NotificationEvent): Summary {
  const { at, project, url } = event;
  const plain = { lines: [], entries: [], facts: [], counts: [], at, project, url };
  switch (event.type) {
    case 'rule.fired':
    case 'rule.resolved':
      return { ...plain, ...summarizeRule(event) };
    case 'rule.troubled':
      return { ...plain, ...summarizeTrouble(event) };
    case 'rules.merged':
      return { ...plain, ...summarizeMerged(event) };
    case 'channel.test':
      return {
        ...plain,
        tone: 'plain',
        state: 'Test',
        subject: event.channel,
        sentence: 'This channel works: notifications arrive here.',
        urlWords: 'Open the channels',
      };
    default:
      return { ...plain, ...summarizeObject(event) };
  }
}

type Wording = Pick<Summary, 'tone' | 'state' | 'subject' | 'sentence' | 'urlWords'> & Partial<Summary>;

function summarizeRule(event: RuleEvent): Wording {
  const { type, rule, value, count, firedAt, at, windows } = event;
  const isFiring = type === 'rule.fired';
  return {
    tone: isFiring ? 'firing' : 'resolved',
    state: isFiring ? 'Firing' : 'Resolved',
    subject: rule.name,
    sentence: isFiring
      ? describeFired(event)
      : `It is over: it fired for ${formatSpan(at - firedAt)}, since ${formatTime(firedAt)}.`,
    facts: [...listCounts(rule, count), ...nameValue(rule, value), ...describeRule(rule)],
    entries: event.entries.slice(0, entriesMax),
    counts: windows?.counts ?? [],
    urlWords: describePage(rule),
  };
}

function describeFired({ rule, count, isReturn }: RuleEvent): string {
  const { op, value = 0, factor = 0 } = rule.condition;
  const span = formatSpan(rule.windowSeconds * 1_000);
  const found = `${writeCount(count, 'entry', 'entries')} in ${span}`;
  switch (rule.kind) {
    case 'count':
      return `${found}; it fires at ${op === '<' ? `fewer than ${formatNumber(value)}` : `${formatNumber(value)} or more`}.`;
    case 'change':
      return `${found}; it fires at ${formatNumber(value)} or more that are ${formatNumber(factor)} times those of the ${span} before.`;
    case 'new_pattern':
      return 'A message that has never occurred before.';
    case 'issue':
      return isReturn ? 'A resolved issue came back.' : 'A new issue: this error has never happened before.';
    case 'session_quiet':
      return 'A session expired without ending: its program no longer reports.';
    case 'storage':
      return `${formatNumber(count)} % of the quota is used; it fires at ${formatNumber(value)} %.`;
  }
}

function listCounts({ kind, windowSeconds }: EventRule, count: number): Fact[] {
  if (kind === 'session_quiet') return [];
  if (kind === 'storage') return [{ name: 'Used', value: `${formatNumber(count)} %`, form: 'words' }];
  return [
    { name: 'Count', value: formatNumber(count), form: 'words' },
    { name: 'Window', value: formatSpan(windowSeconds * 1_000), form: 'words' },
  ];
}

function nameValue({ kind, by }: EventRule, value: string | null): Fact[] {
  if (value === null) return [];
  const names = {
    new_pattern: 'Pattern',
    issue: 'Pattern',
    session_quiet: 'Session',
    storage: 'Quota',
  } as const;
  const name = kind === 'count' || kind === 'change' ? (by ?? 'Value') : names[kind];
  return [{ name, value: value === '' ? '(empty)' : value, form: 'code' }];
}

function describeRule({ query, dataset }: EventRule): Fact[] {
  const facts: Fact[] = [];
  if (dataset !== null) facts.push({ name: 'Dataset', value: dataset, form: 'words' });
  if (query !== '') facts.push({ name: 'Query', value: query, form: 'code' });
  return facts;
}

function describePage({ kind }: EventRule): string {
  if (kind === 'session_quiet') return 'Open the sessions';
  return kind === 'storage' ? 'Open the storage' : 'Open the search at that moment';
}

function summarizeTrouble({ rule, trouble }: RuleTroubleEvent): Wording {
  return {
    tone: 'trouble',
    state: 'Cannot be judged',
    subject: rule.name,
    sentence: 'This rule cannot be evaluated right now. The service tries again every minute.',
    facts: [{ name: 'Reason', value: trouble, form: 'code' }, ...describeRule(rule)],
    urlWords: 'Open the rule',
  };
}

const changeWords = {
  'rule.fired': 'Firing',
  'rule.resolved': 'Resolved',
  'rule.troubled': 'Cannot be judged',
} as const;

function summarizeMerged({ changes, counts: { fired, resolved, troubled } }: MergedRulesEvent): Wording {
  const parts = [
    ...(fired > 0 ? [`${formatNumber(fired)} fired`] : []),
    ...(resolved > 0 ? [`${formatNumber(resolved)} resolved`] : []),
    ...(troubled > 0 ? [`${formatNumber(troubled)} cannot be evaluated`] : []),
  ];
  const count = fired + resolved + troubled;
  const lines = changes.slice(0, linesMax).map(describeChange);
  if (count > lines.length) lines.push(`and ${formatNumber(count - lines.length)} more`);
  return {
    tone: fired > 0 ? 'firing' : troubled > 0 ? 'trouble' : 'resolved',
    state: 'Many at once',
    subject: writeCount(count, 'notification'),
    sentence: `Too many at once to list one by one: ${parts.join(', ')}.`,
    lines,
    urlWords: 'Open the rules',
  };
}

function describeChange({ type, at, ruleName, value, count }: MergedChange): string {
  const whose = [ruleName, ...(value === null ? [] : [value])].map(text => text.slice(0, 80)).join(': ');
  const many = type === 'rule.fired' ? ` (${formatNumber(count)})` : '';
  return `${formatTime(at).slice(11, 19)} ${changeWords[type]}: ${whose}${many}`;
}

const objectWords = {
  'file.created': ['File stored', 'Open the files'],
  'file.deleted': ['File deleted', 'Open the files'],
  'session.opened': ['Session opened', 'Open the sessions'],
  'session.ended': ['Session ended', 'Open the sessions'],
} as const;

function summarizeObject(event: FileEvent | SessionEvent): Wording {
  const [state, urlWords] = objectWords[event.type];
  const object = 'file' in event ? event.file : event.session;
  const facts = Object.entries(object)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .slice(0, factsMax)
    .map(([name, value]): Fact => ({ name, value: String(value), form: 'code' }));
  return { tone: 'plain', state, subject: event.project, sentence: `${state}.`, facts, urlWords };
}
