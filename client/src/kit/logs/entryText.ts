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

let lastMicros = 0;

/** Returns a later time on each call, so that entries keep their order across batches. */
function takeTime(): string {
  lastMicros = Math.max(Date.now() * 1000, lastMicros + 1);
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
      stringify({ ...whole, metadata: { unreadable: 'The metadata cannot be written as JSON.' } })
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
    return JSON.stringify(value, (_, part: unknown) => {
      if (typeof part === 'bigint') return part.toString();
      if (part instanceof Error)
        return { ...part, name: part.name, message: part.message, stack: part.stack };
      return part;
    });
  } catch {
    return null; // circular, or a getter threw
  }
}
