/**
 * Test files whose services may take over the log engine of a service before. They look neither at the engine nor at its files, and each
 * folder was tried; the others start an engine for each service.
 */
const sharing =
  /^(?:client\/tests|server\/src\/http\/legacy|server\/tests\/(?:alerting|commands|files|identity|ingest|loki|mcp))\/.*\.test\.ts$/;

export function mayShareEngines(path: string): boolean {
  return sharing.test(path);
}
