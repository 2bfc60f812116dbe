/** Finds the address that a request comes from, behind trusted proxies. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { Subnet } from './subnets.ts';

/** Returns the normalised address; '' once the connection is gone. */
export type FindClientAddress = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => string;

const entriesMax = 32; // proxies in a row; real setups have fewer
const mappedBits = 96; // before an IPv4 address written as IPv6

/**
 * Each proxy appends the address of its client. So it reads the list from the end while the proxies are trusted. The first untrusted address is the
 * client's; the client may have invented those before it.
 */
export function openClientAddresses(trusted: readonly Subnet[]): FindClientAddress {
  const isTrusted = makeSubnetCheck(trusted);
  return ({ socket, headers }) => {
    let address = readIpAddress(socket.remoteAddress ?? '') ?? '';
    const forwarded = headers['x-forwarded-for'];
    if (address === '' || forwarded === undefined) return address;
    const entries = String(forwarded).split(',').slice(-entriesMax);
    while (entries.length > 0 && isTrusted(address)) {
      const before = readForwarded(entries.pop()!.trim());
      if (before === null) return address;
      address = before;
    }
    return address;
  };
}

/** Some proxies append the port to the address. */
function readForwarded(text: string): string | null {
  const [, inner] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? /^([\d.]+):\d+$/.exec(text) ?? [];
  return readIpAddress(inner ?? text);
}

/** Normalises an address: no zone, short, and IPv4 without an IPv6 prefix. Returns null for other texts. */
function readIpAddress(text: string): string | null {
  const [plain = ''] = text.split('%'); // the zone after it has a meaning on one machine only
  if (isIPv4(plain)) return plain;
  if (!isIPv6(plain)) return null;
  const { hostname } = new URL(`http://[${plain}]`); // shortens it, and writes an embedded IPv4 address in hexadecimal
  const short = hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(short);
  if (mapped === null) return short;
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Expects normalised addresses. IPv6 subnets never contain IPv4 addresses. */
function makeSubnetCheck(nets: readonly Subnet[]): (address: string) => boolean {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const { address: given, prefixBits } of nets) {
    const address = readIpAddress(given) ?? given;
    const isMapped = isIPv4(address) && isIPv6(given);
    if (!isMapped) lists[familyOf(address)].addSubnet(address, prefixBits, familyOf(address));
    else if (prefixBits >= mappedBits) lists.ipv4.addSubnet(address, prefixBits - mappedBits, 'ipv4');
  }
  return address => lists[familyOf(address)].check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
