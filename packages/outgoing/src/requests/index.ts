/** Sends requests to addresses that users chose: webhooks, chat services. They never reach private addresses of the machine or its network. */
export { isPublicAddress } from './addresses.ts';
export { OutgoingFailure } from './failure.ts';
export { Outgoing, type OutgoingAnswer } from './outgoing.ts';
