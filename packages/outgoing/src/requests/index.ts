/** Requests to addresses that users chose: webhooks, chat services. They never reach what is private to the machine or its network. */
export { isPublicAddress } from './addresses.ts';
export { OutgoingFailure, type OutgoingFailureCode } from './failure.ts';
export { Outgoing, type OutgoingAnswer, type OutgoingOptions, type OutgoingRequest } from './outgoing.ts';
export { readTarget } from './targets.ts';
