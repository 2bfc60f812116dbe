/** Tells public internet addresses from those reserved for a machine, its network or a tunnel. */
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Special-purpose addresses by IANA's registries (RFC 6890 and its updates). */
const special4: readonly [string, number][] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // behind a provider's NAT
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, where clouds keep credentials of the machine
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // measurements
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
];

/** Blocks outside 2000::/3 that are not listed here are not routed at all. */
const special6: readonly [string, number][] = [
  ['2001::', 23], // protocol assignments, including Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: contains an IPv4 address
  ['3fff::', 20], // documentation
];

const refused = new BlockList();
for (const [network, bits] of special4) refused.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of special6) refused.addSubnet(network, bits, 'ipv6');
const routed6 = new BlockList();
routed6.addSubnet('2000::', 3, 'ipv6');

/** Returns whether the address is public. Treats IPv4 addresses written as IPv6 as IPv4. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, ''); // the zone of a link-local address
  if (isIP(plain) === 0) return false;
  if (!isIPv6(plain)) return !refused.check(plain, 'ipv4');
  const mapped = readMapped(plain);
  if (mapped !== null) return !refused.check(mapped, 'ipv4');
  return routed6.check(plain, 'ipv6') && !refused.check(plain, 'ipv6');
}

/** Returns the IPv4 address inside ::ffff:0:0/96. */
function readMapped(address: string): string | null {
  // `URL` writes each address in its shortest form.
  const [, high, low] =
    /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(new URL(`http://[${address}]`).hostname) ?? [];
  if (high === undefined || low === undefined) return null;
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [first >> 8, first & 255, second >> 8, second & 255].join('.');
}
