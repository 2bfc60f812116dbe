/** Whom an address belongs to, as far as the address tells. */

const subnetGroups = 4; // 16 bits each: a /64, the least that a provider gives a customer
const groupsMax = 8;

/** For IPv6 the /64 around the address, because its holder has 2^64 of them. Takes addresses in their short spelling. */
export function findClientSubnet(address: string): string {
  if (!address.includes(':')) return address;
  const [before = [], behind = []] = address.split('::').map(half => half.split(':').filter(Boolean));
  const zeros = new Array<string>(Math.max(0, groupsMax - before.length - behind.length)).fill('0');
  return `${[...before, ...zeros, ...behind].slice(0, subnetGroups).join(':')}::/64`;
}
