/** Parses addresses, networks and address ranges, as `ip()` takes them. */
import { isIPv4, isIPv6 } from 'node:net';

type Span = { bits: 32 | 128; first: bigint; last: bigint };

type Network = { holds(address: string): boolean };

/** Parses `10.0.0.1`, `10.0.0.0/8` or `10.0.0.1-10.0.0.9`; null for anything else. */
export function parseNetwork(text: string): Network | null {
  const span = parseSpan(text);
  return span && { holds: address => isInside(parseAddress(address), span) };
}

function parseSpan(text: string): Span | null {
  const [from = '', to, ...more] = text.split('-');
  if (more.length > 0) return null;
  if (to !== undefined) {
    const first = parseAddress(from);
    const last = parseAddress(to);
    return first && last && first.bits === last.bits && first.value <= last.value
      ? { bits: first.bits, first: first.value, last: last.value }
      : null;
  }
  const [host = '', prefix] = text.split('/');
  const address = parseAddress(host);
  if (address === null) return null;
  const { bits, value } = address;
  if (prefix === undefined) return { bits, first: value, last: value };
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) : bits + 1;
  if (length > bits) return null;
  const size = 1n << BigInt(bits - length);
  const first = (value / size) * size;
  return { bits, first, last: first + size - 1n };
}

type Address = { bits: 32 | 128; value: bigint };

function isInside(address: Address | null, { bits, first, last }: Span): boolean {
  return address !== null && address.bits === bits && address.value >= first && address.value <= last;
}

function parseAddress(text: string): Address | null {
  if (isIPv4(text)) return { bits: 32, value: readBytes(text) };
  if (!isIPv6(text) || text.includes('%')) return null;
  const [, before = '', dotted] = /^(.*:)?(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  const tail = dotted === undefined ? 0n : readBytes(dotted);
  const plain =
    dotted === undefined ? text : `${before}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`;
  const [head = '', end] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = end === undefined || end === '' ? [] : end.split(':');
  const middle = end === undefined ? [] : Array<string>(8 - left.length - right.length).fill('0');
  const value = [...left, ...middle, ...right].reduce(
    (sum, group) => sum * 65_536n + BigInt(`0x${group}`),
    0n,
  );
  return { bits: 128, value };
}

function readBytes(text: string): bigint {
  return text.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
}

/** Where an address may begin: at a digit with a dot soon after it, or at digits before a colon. As in Loki, some signs must follow. */
const beginning = /(\d(?=.{3})(?=.{0,2}\.))|::[\da-fA-F]|[\da-fA-F]{1,4}:/gs;
const colonSignsMin = 5;
const dottedSigns = /[\d.]*/y;
const colonSigns = /[\da-fA-F:.]*/y;

/** Whether an address in the text lies in the network. As in Loki, text that begins like an address but is not one is skipped whole. */
export function holdsAddressOf(network: Network, text: string): boolean {
  beginning.lastIndex = 0;
  for (let found = beginning.exec(text); found !== null; found = beginning.exec(text)) {
    const { index } = found;
    const isDotted = found[1] !== undefined;
    if (!isDotted && index + colonSignsMin > text.length) return false;
    const signs = isDotted ? dottedSigns : colonSigns;
    signs.lastIndex = index;
    const address = signs.exec(text)?.[0] ?? '';
    if (network.holds(address)) return true;
    beginning.lastIndex = index + address.length + 1;
  }
  return false;
}
