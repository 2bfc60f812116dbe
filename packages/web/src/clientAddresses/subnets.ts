/** Reads subnets as users write them. */
import { isIP, isIPv4 } from 'node:net';

/** A single address is a subnet with all bits. */
export type Subnet = { address: string; prefixBits: number };

/** This machine's addresses. */
export const loopback: readonly Subnet[] = [
  { address: '127.0.0.0', prefixBits: 8 },
  { address: '::1', prefixBits: 128 },
];

/** Reads `10.0.0.0/8`, `2001:db8::/32` or a single address. Returns null for anything else. */
export function readSubnet(text: string): Subnet | null {
  const [, address = '', prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bitsMax = isIPv4(address) ? 32 : 128;
  const prefixBits = Number(prefix ?? bitsMax);
  return isIP(address) > 0 && prefixBits <= bitsMax ? { address, prefixBits } : null;
}
