/** A fair semaphore, which decides who may enter when there is not room for all. */
export { Gate } from './gate.ts';
export { createKeyedMutex, type KeyedMutex } from './keyedMutex.ts';
