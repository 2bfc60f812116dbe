/**
 * Fastify's router writes functions as texts for each route and compiles them: with all our routes an eighth of a start's processor time.
 * In the bundle, one function serves wherever the text is the same, and a short prefix is compared as the router compares long ones.
 */
import type { Plugin } from 'rolldown';

/** Texts in the router, and what stands there instead. A router that spells them differently must be looked at again. */
const changes: readonly { file: string; from: string; to: string }[] = [
  {
    file: 'find-my-way/lib/node.js',
    from: 'const LONG_PREFIX_MIN_LENGTH = 16',
    to: 'const LONG_PREFIX_MIN_LENGTH = 2',
  },
  {
    file: 'find-my-way/lib/node.js',
    from: 'return path.indexOf(prefix, i) === i',
    to: 'return path.startsWith(prefix, i)',
  },
  { file: 'find-my-way/lib/handler-storage.js', from: 'new Function(', to: 'compileOnce(' },
];

/** The functions keep nothing between calls, so that routes may share them. */
const compileOnce = `
const compiled = new Map()
function compileOnce (...texts) {
  const key = texts.join('\\n')
  if (!compiled.has(key)) compiled.set(key, new Function(...texts))
  return compiled.get(key)
}
`;

export const routerCompilation: Plugin = {
  name: 'functions of the router that are compiled once',
  transform: (code, id) => {
    const ours = changes.filter(({ file }) => id.replaceAll('\\', '/').endsWith(`/node_modules/${file}`));
    if (ours.length === 0) return null;
    let changed = code;
    for (const { file, from, to } of ours) {
      if (!changed.includes(from))
        throw new Error(`${file} no longer says ${from}: see routerCompilation.ts.`);
      changed = changed.replaceAll(from, to);
    }
    return changed.includes('compileOnce(') ? changed + compileOnce : changed;
  },
};
