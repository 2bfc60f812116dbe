/** A fair semaphore: decides who may enter when not all can at once. */
export { Gate } from './gate.ts';
export { createKeyedMutex, type KeyedMutex } from './keyedMutex.ts';
