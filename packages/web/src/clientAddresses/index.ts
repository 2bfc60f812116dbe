/** Finds the address of a client, and the subnet that it belongs to. */
export { type FindClientAddress, openClientAddresses } from './clientAddresses.ts';
export { findClientSubnet } from './clientSubnets.ts';
export { loopback, readSubnet, type Subnet } from './subnets.ts';
