/**
 * Runs test files one after another, as the runner names them. Each is in a suite whose hooks end what the file has started. Loading the service and
 * Chromium for each file took a third of the time.
 */
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

process.env.PROCESS_TMPDIR = process.env.TMPDIR; // for data that outlives a file

process.on('message', ({ path, temporary, sharesEngines }) => {
  process.env.TMPDIR = temporary;
  process.env.SHARES_ENGINES = sharesEngines ? 'yes' : 'no';
  describe(path, async () => {
    await import(pathToFileURL(path).href);
  });
});
