/** Finds a client's address and its subnet. */
export { type FindClientAddress, openClientAddresses } from './clientAddresses.ts';
export { findClientSubnet } from './clientSubnets.ts';
export { loopback, readSubnet, type Subnet } from './subnets.ts';
