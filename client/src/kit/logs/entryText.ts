/** Serializes an entry to JSON, with the time of the call. Never throws. */

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogEntry = {
  level: LogLevel;
  message: string;
  resource?: string;
  metadata?: Readonly<Record<string, unknown>>;
  /** Defaults to the time of the call. */
  timestamp?: Date | number | string;
  /** The traceId of this entry's parent entry. */
  parentId?: string;
  dataset?: string;
};

const unreadable = { unreadable: 'The metadata cannot be written as JSON.' };

let lastMicros = 0;
const leadMicrosMax = 10_000_000; // bursts of entries run ahead of the clock by far less

/** Returns a later time on each call, so that entries keep their order across batches, unless the clock was set back. */
function takeTime(): string {
  const nowMicros = Date.now() * 1000;
  lastMicros = lastMicros - nowMicros > leadMicrosMax ? nowMicros : Math.max(nowMicros, lastMicros + 1);
  const millis = Math.floor(lastMicros / 1000);
  const rest = String(lastMicros % 1000).padStart(3, '0');
  return new Date(millis).toISOString().replace('Z', `${rest}Z`);
}

/** Returns null if the entry cannot be serialized. */
export function writeEntry(entry: LogEntry, resource: string | undefined): string | null {
  try {
    const { dataset: _, ...sent } = entry;
    const timestamp = sent.timestamp ?? takeTime();
    const whole = { resource, ...sent, message: writeMessage(sent.message), timestamp };
    return (
      stringify(whole) ??
      stringify({ ...whole, metadata: cutCircles(sent.metadata) ?? unreadable }) ??
      stringify({ ...whole, metadata: unreadable })
    );
  } catch {
    return null;
  }
}

function writeMessage(message: unknown): string {
  if (typeof message === 'string') return message;
  return message instanceof Error
    ? (message.stack ?? message.message)
    : (JSON.stringify(message) ?? String(message));
}

function stringify(value: object): string | null {
  try {
    const text = JSON.stringify(value, (_, part: unknown) => {
      if (typeof part === 'bigint') return part.toString();
      return part instanceof Error ? describeError(part) : part;
    });
    return text.includes('\\ud') ? repairHalves(text) : text;
  } catch {
    return null; // circular, or a getter threw
  }
}

/** Replaces halves of characters, such as the end of a text that was cut inside an emoji: the service refuses them. JSON writes only them as escapes. */
function repairHalves(json: string): string {
  return json.replace(/\\(?:(ud[89a-f][0-9a-f]{2})|.)/g, (whole, half) =>
    half === undefined ? whole : '\ufffd',
  );
}

function describeError(error: Error): object {
  const { name, message, stack, cause } = error;
  return { ...error, name, message, stack, ...(cause !== undefined && { cause }) };
}

const valuesMax = 256; // the service accepts no more
const depthMax = 16; // the service accepts 20

/** Copies metadata whose objects refer to those around them. Returns null for more values than an entry may hold: such objects have endless paths. */
function cutCircles(metadata: unknown): object | null {
  let values = 0;
  const countValue = (value: unknown) => {
    if (++values > valuesMax) throw new RangeError('too many values');
    return value;
  };
  const copy = (value: unknown, around: readonly object[]): unknown => {
    if (typeof value !== 'object' || value === null || 'toJSON' in value) return countValue(value);
    if (around.includes(value)) return countValue('[Circular]');
    if (around.length === depthMax) return countValue('…');
    const inner = [...around, value];
    if (Array.isArray(value)) return value.map(each => copy(each, inner));
    const fields = Object.entries(value instanceof Error ? describeError(value) : value);
    return Object.fromEntries(fields.map(([name, each]) => [name, copy(each, inner)]));
  };
  try {
    return Object(copy(metadata, []));
  } catch {
    return null;
  }
}
