/**
 * Lists test files whose services may reuse the log engine of an earlier service. They use neither the engine nor its files directly, and each folder
 * was tried. Other files start an engine for each service.
 */
const sharing =
  /^(?:client\/tests|server\/src\/http\/legacy|server\/tests\/(?:alerting|commands|files|identity|ingest|loki|mcp))\/.*\.test\.ts$/;

export function mayShareEngines(path: string): boolean {
  return sharing.test(path);
}
