/** Nets of addresses, as people write them. */
import { isIP, isIPv4 } from 'node:net';

/** An address alone is a net of its own. */
export type Subnet = { address: string; prefixBits: number };

/** This machine's own. */
export const loopback: readonly Subnet[] = [
  { address: '127.0.0.0', prefixBits: 8 },
  { address: '::1', prefixBits: 128 },
];

/** `10.0.0.0/8`, `2001:db8::/32` or an address alone; null for anything else. */
export function readSubnet(text: string): Subnet | null {
  const [, address = '', prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bitsMax = isIPv4(address) ? 32 : 128;
  const prefixBits = Number(prefix ?? bitsMax);
  return isIP(address) > 0 && prefixBits <= bitsMax ? { address, prefixBits } : null;
}
