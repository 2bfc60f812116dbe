/** Re-exports the contract for programs that import the published package. They cannot import `@tapedeck/contract` themselves. */
export * from '@tapedeck/contract';
