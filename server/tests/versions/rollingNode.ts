/** A node that restarts as another version, as in a rolling upgrade: it is stopped, and then started on the same data directory. */
import assert from 'node:assert/strict';
import type { Environment } from '../../src/config.ts';
import { makeDirectory } from '../support/service.ts';
import { type ServiceProcess, startProcess } from '../support/tapedeck.ts';

export type Version = { name: string; program: string | undefined; settings: Environment };

export type RollingNode = AsyncDisposable & {
  /** The node's current address; while it changes versions, no node is there. */
  target: { url: string; token: string };
  version: string;
  become(version: Version): Promise<void>;
};

export async function startRollingNode(token: string, first: Version): Promise<RollingNode> {
  const directory = await makeDirectory();
  const start = ({ settings, program }: Version) =>
    startProcess({ ...settings, TAPEDECK_DATA_DIR: directory.path }, [], program);
  let service: ServiceProcess = await start(first);
  const node: RollingNode = {
    target: { url: service.url, token },
    version: first.name,
    async become(version) {
      service.child.kill('SIGTERM');
      const { exitCode, complained } = await service.exit;
      assert.deepEqual([exitCode, complained], [0, ''], `the ${node.version} version stops cleanly`);
      service = await start(version);
      node.version = version.name;
      node.target.url = service.url;
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
  return node;
}
