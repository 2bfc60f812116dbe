/** What the package offers: the address of whoever sent a request, and the nets that addresses lie in. */
export { type FindClientAddress, openClientAddresses } from './clientAddresses.ts';
export { findClientSubnet } from './clientSubnets.ts';
export { loopback, readSubnet, type Subnet } from './subnets.ts';
