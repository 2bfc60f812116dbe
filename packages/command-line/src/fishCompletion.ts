/** Writes the completion script for fish. */

import type { CommandWords } from './commandMatching.ts';
import { listFirstWords, listOptions, listSecondWords } from './completedWords.ts';
import { listGroups } from './help.ts';

export function writeFishCompletion(program: string, commands: readonly CommandWords[]): string {
  const offer = (condition: string, words: readonly (readonly [string, string])[]) =>
    words.map(
      ([word, about]) => `complete -c ${program} -n ${quote(condition)} -a ${word} -d ${quote(about)}`,
    );
  const at = (line: string) => `__${program}_at ${quote(line)}`;
  const groups = listGroups(commands).flatMap(group => {
    const words = listSecondWords(commands, group);
    return [...offer(at(group), words), ...offer(at(`help ${group}`), words)];
  });
  const first = listFirstWords(commands);
  return `# Completion of ${program} for fish: load it with \`${program} completion fish | source\`.
function __${program}_at
  set -l words (commandline -opc)[2..]
  test "$words" = "$argv[1]"
end
function __${program}_in
  set -l words (commandline -opc)[2..]
  string match --quiet -- "$argv[1] *" "$words "
end
complete -c ${program} -f
${[...offer(at(''), first), ...offer(at('help'), first), ...groups, ...commands.flatMap(command => writeCommand(program, command))].join('\n')}
`;
}

function writeCommand(program: string, command: CommandWords): string[] {
  const start = `complete -c ${program} -n ${quote(`__${program}_in ${quote(command.name)}`)}`;
  const { values = [], arePaths } = command.positionals ?? {};
  return [
    ...listOptions(command).map(([name, { short, type, values: known, about }]) => {
      const value = type === 'boolean' ? '' : known ? ` -x -a ${quote(known.join(' '))}` : ' -r';
      return `${start}${short === undefined ? '' : ` -s ${short}`} -l ${name}${value} -d ${quote(about)}`;
    }),
    ...(arePaths ? [`${start} -F`] : []),
    ...(values.length > 0 ? [`${start} -a ${quote(values.join(' '))}`] : []),
  ];
}

/** fish knows two escapes between single quotes. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
