/** `npm run pack`: makes the npm packages for `npm publish`, and the archives for games, and prints the path of each. */

import { makeClientPackage } from './packaging/clientPackage.ts';
import { makePackage } from './packaging/package.ts';
import { makeResources } from './packaging/resources.ts';
import { repositoryRoot } from './repository.ts';

console.log(makePackage(`${repositoryRoot}/.cache`));
console.log(await makeClientPackage(`${repositoryRoot}/.cache`));
for (const path of await makeResources(`${repositoryRoot}/.cache`)) console.log(path);
