/** Go's methods of times that take no arguments, such as `(unixToTime .seconds).Year`. All times are in UTC. */
import { formatTime } from './goTimes.ts';
import { Moment, print, TemplateFailure, type Value } from './values.ts';
import { nameType } from './verbs.ts';

const second = 1_000_000_000n; // nanoseconds

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
  UnixMilli: since(1_000_000n),
  UnixMicro: since(1_000n),
  UnixNano: since(1n),
  UTC: moment => moment,
  Local: moment => moment,
  String: moment => print(moment),
};

/** Returns what Go reads behind a point if the value has no members. */
export function callMethod(value: Value, name: string): Value {
  const method = value instanceof Moment && Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined || !(value instanceof Moment))
    throw new TemplateFailure(`can't evaluate field ${name} in type ${nameType(value)}`);
  return method(value);
}
