/** Checks the arguments of template functions against Go's declarations before the call. */
import { isList, Moment, TemplateFailure, type Value } from './values.ts';
import { nameType } from './verbs.ts';

export type Kind = 'text' | 'whole' | 'real' | 'time' | 'any';

/** `more`: the kind of any further arguments; null: none may follow. */
export type Signature = { readonly takes: readonly Kind[]; readonly more: Kind | null };

const texts = (count: number): Signature => ({ takes: Array<Kind>(count).fill('text'), more: null });
const any = (count: number, more: Kind | null = null): Signature => ({
  takes: Array<Kind>(count).fill('any'),
  more,
});
const mixed = (...takes: Kind[]): Signature => ({ takes, more: null });

const byName: readonly (readonly [names: string, signature: Signature])[] = [
  ['lower upper ToLower ToUpper title trim TrimSpace b64enc b64dec urlencode urldecode fromJson', texts(1)],
  ['bytes duration duration_seconds unixToTime', texts(1)],
  ['contains hasPrefix hasSuffix trimAll trimPrefix trimSuffix toDate count', texts(2)],
  ['Trim TrimLeft TrimRight TrimPrefix TrimSuffix', texts(2)],
  ['replace regexReplaceAll regexReplaceAllLiteral toDateInZone', texts(3)],
  ['Replace', mixed('text', 'text', 'text', 'whole')],
  ['trunc indent nindent repeat alignLeft alignRight', mixed('whole', 'text')],
  ['substr', mixed('whole', 'whole', 'text')],
  ['date', mixed('text', 'any')],
  ['unixEpoch unixEpochMillis unixEpochNanos', mixed('time')],
  ['now __line__ __timestamp__', mixed()],
  ['int float64 ceil floor not len', any(1)],
  ['sub div mod ne lt le gt ge', any(2)],
  ['mul subf mulf divf max min maxf minf default eq index slice', any(1, 'any')],
  ['add addf print println urlquery js html', any(0, 'any')],
  ['printf', { takes: ['text'], more: 'any' }],
  ['round', { takes: ['any', 'whole'], more: 'real' }],
];

const signatures: ReadonlyMap<string, Signature> = new Map(
  byName.flatMap(([names, signature]) => names.split(' ').map(name => [name, signature] as const)),
);

/** Throws if the function takes fewer or more arguments. */
export function requireCount(name: string, count: number): Signature {
  const signature = signatures.get(name);
  if (signature === undefined) throw new TemplateFailure(`"${name}" is not a defined function`);
  requireFit(name, count, signature);
  return signature;
}

export function requireFit(name: string, count: number, { takes, more }: Signature): void {
  const isEnough = more === null ? count === takes.length : count >= takes.length;
  if (isEnough) return;
  const wanted = more === null ? takes.length : `at least ${takes.length}`;
  throw new TemplateFailure(`wrong number of args for ${name}: want ${wanted} got ${count}`);
}

const goTypes: Readonly<Record<Kind, string>> = {
  text: 'string',
  whole: 'int',
  real: 'float64',
  time: 'time.Time',
  any: 'interface {}',
};

/** Throws if the value is of another kind. `constant` is the source of a literal value, for which Go has other messages. */
export function requireKind(kind: Kind, value: Value, constant: string | null): void {
  if (fits(kind, value)) return;
  const isWritten = constant !== null && value !== null;
  if (isWritten && kind === 'time')
    throw new TemplateFailure(`can't handle ${constant} for arg of type time.Time`);
  if (isWritten) throw new TemplateFailure(`expected ${wordsFor(kind)}; found ${constant}`);
  if (constant !== null) throw new TemplateFailure(`cannot assign nil to ${goTypes[kind]}`);
  if (value === null) throw new TemplateFailure(`invalid value; expected ${goTypes[kind]}`);
  throw new TemplateFailure(`wrong type for value; expected ${goTypes[kind]}; got ${nameType(value)}`);
}

function wordsFor(kind: Kind): string {
  if (kind === 'whole') return 'integer';
  return kind === 'real' ? 'float' : 'string';
}

function fits(kind: Kind, value: Value): boolean {
  switch (kind) {
    case 'any':
      return true;
    case 'text':
      return typeof value === 'string';
    case 'whole':
      return typeof value === 'bigint';
    case 'real':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'time':
      return !isList(value) && value instanceof Moment;
  }
}
