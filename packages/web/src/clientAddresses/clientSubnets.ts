/** Finds the subnet of a single client. */

const subnetGroups = 4; // 16 bits each: a /64, the smallest block that a provider assigns
const groupsMax = 8;

/** Returns the /64 around an IPv6 address, because its owner has 2^64 addresses. Expects short addresses. */
export function findClientSubnet(address: string): string {
  if (!address.includes(':')) return address;
  const [before = [], behind = []] = address.split('::').map(half => half.split(':').filter(Boolean));
  const zeros = new Array<string>(Math.max(0, groupsMax - before.length - behind.length)).fill('0');
  return `${[...before, ...zeros, ...behind].slice(0, subnetGroups).join(':')}::/64`;
}
