/**
 * Packs packages of hundreds of small files into a few large ones, for tests: finding and opening those files in every process took a third of the
 * suite's processor time. Fastify's router compiles its functions once, as in the bundle. The service itself is bundled whole.
 */

/** Imported modules. Their shared code is packed once. */
export const packedSpecifiers = ['fastify', 'kysely', 'typebox', 'typebox/compile', 'typebox/value'];

/** @type {import('../setup/builds.mjs').Build} */
export const packedPackages = {
  name: 'packed-packages',
  source: 'package-lock.json',
  sources: [
    'package-lock.json',
    'scripts/packaging/routerCompilation.ts',
    'scripts/testing/packedPackages.mjs',
    'scripts/testing/packing.mjs',
  ],
  output: '.cache/packed',
  proof: 'kysely.js',
  call: (root, draft) => ({ args: ['scripts/testing/packing.mjs', draft], directory: root }),
};
