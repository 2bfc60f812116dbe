/** Go's methods of times, such as `(unixToTime .seconds).Year`. All times are in UTC. Those that take or return a timespan are missing. */
import { formatTime } from './goTimes.ts';
import { type Kind, requireFit, type Signature } from './signatures.ts';
import { Moment, print, TemplateFailure, toInteger, toText, type Value } from './values.ts';
import { nameType } from './verbs.ts';

const millisecond = 1_000_000n; // nanoseconds
const second = 1_000n * millisecond;
const zeroNanos = -62_135_596_800n * second; // Go's zero time: the start of the year 1

const written =
  (layout: string) =>
  (moment: Moment): Value =>
    formatTime(moment, layout);
const counted =
  (layout: string) =>
  (moment: Moment): Value =>
    BigInt(formatTime(moment, layout));
const since =
  (nanos: bigint) =>
  (moment: Moment): Value =>
    moment.nanos / nanos;

const methods: Readonly<Record<string, (moment: Moment) => Value>> = {
  Year: counted('2006'),
  Month: written('January'),
  Day: counted('2'),
  YearDay: counted('002'),
  Weekday: written('Monday'),
  Hour: counted('15'),
  Minute: counted('4'),
  Second: counted('5'),
  Nanosecond: ({ nanos }) => ((nanos % second) + second) % second,
  Unix: since(second),
  UnixMilli: since(millisecond),
  UnixMicro: since(1_000n),
  UnixNano: since(1n),
  UTC: moment => moment,
  Local: moment => moment,
  String: moment => print(moment),
  IsZero: ({ nanos }) => nanos === zeroNanos,
};

type Method = Signature & { work(moment: Moment, given: readonly Value[]): Value };

const given = (takes: readonly Kind[], work: Method['work']): Method => ({ takes, more: null, work });
const compared = (read: (order: number) => Value): Method =>
  given(['time'], ({ nanos }, [other]) =>
    read(other instanceof Moment ? Number(nanos > other.nanos) - Number(nanos < other.nanos) : 0),
  );

const methodsWithArguments: Readonly<Record<string, Method>> = {
  Format: given(['text'], (moment, [layout]) => formatTime(moment, toText(layout))),
  AddDate: given(['whole', 'whole', 'whole'], addDate),
  Before: compared(order => order < 0),
  After: compared(order => order > 0),
  Equal: compared(order => order === 0),
  Compare: compared(order => BigInt(order)),
};

/** As in Go, a date beyond the end of its month counts on into the next one. */
function addDate({ nanos }: Moment, [years, months, days]: readonly Value[]): Moment {
  const date = new Date(Number(nanos / millisecond));
  const start = date.getTime();
  date.setUTCFullYear(
    date.getUTCFullYear() + Number(toInteger(years)),
    date.getUTCMonth() + Number(toInteger(months)),
    date.getUTCDate() + Number(toInteger(days)),
  );
  if (Number.isNaN(date.getTime())) throw new TemplateFailure('the date is too far away');
  return new Moment(nanos + BigInt(date.getTime() - start) * millisecond);
}

/** Finds the method that a value has by this name. */
export function findMethod(value: Value, name: string): Method | undefined {
  if (!(value instanceof Moment)) return undefined;
  const plain = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (plain !== undefined) return given([], plain);
  return Object.hasOwn(methodsWithArguments, name) ? methodsWithArguments[name] : undefined;
}

/** Returns what Go reads behind a point if the value has no members. */
export function callMethod(value: Value, name: string, values: readonly Value[] = []): Value {
  const method = findMethod(value, name);
  if (method === undefined || !(value instanceof Moment))
    throw new TemplateFailure(`can't evaluate field ${name} in type ${nameType(value)}`);
  requireFit(name, values.length, method);
  return method.work(value, values);
}
