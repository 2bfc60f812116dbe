/** The contract as programs import it from the published package, where `@tapedeck/contract` is not for them to name. */
export * from '@tapedeck/contract';
