/** Writes the completion script for zsh. */

import type { CommandWords } from './commandMatching.ts';
import { listFirstWords, listOptionForms, listOptions, listSecondWords, quote } from './completedWords.ts';
import { listGroups } from './help.ts';

export function writeZshCompletion(program: string, commands: readonly CommandWords[]): string {
  const groups = listGroups(commands).map(
    group =>
      `    ${quote(group)}|${quote(`help ${group}`)}) ${describe(listSecondWords(commands, group))} ;;`,
  );
  return `#compdef ${program}
# Completion of ${program} for zsh: load it with \`source <(${program} completion zsh)\` behind compinit, or save it as _${program} in
# a folder of $fpath.
_${program}() {
  local before="\${(j: :)words[2,CURRENT-1]}" previous="\${words[CURRENT-1]}"
  local -a found
  case "$before" in
    ''|help) ${describe(listFirstWords(commands))} ;;
${groups.join('\n')}
${commands.map(writeCommand).join('\n')}
  esac
}
if [[ "$funcstack[1]" == _${program} ]]; then _${program} "$@"; else compdef _${program} ${program}; fi
`;
}

function writeCommand(command: CommandWords): string {
  const options = listOptions(command);
  const values = options.flatMap(option => {
    const [, { type, values: known, about }] = option;
    if (type !== 'string') return [];
    const shown = known ? describe(known.map(value => [value, about])) : '_files';
    return [`        ${listOptionForms(option).join('|')}) ${shown} ;;`];
  });
  const all = describe(options.map(([name, { about }]) => [`--${name}`, about]));
  const { positionals } = command;
  const words = positionals?.values ? describe(positionals.values.map(value => [value, ''])) : '_files';
  const acceptsWords = positionals?.values !== undefined || positionals?.arePaths === true;
  const usual = acceptsWords ? `if [[ "$PREFIX" == -* ]]; then ${all}; else ${words}; fi` : all;
  return [
    `    ${quote(command.name)}|${quote(`${command.name} `)}*)`,
    '      case "$previous" in',
    ...values,
    `        *) ${usual} ;;`,
    '      esac ;;',
  ].join('\n');
}

function describe(words: readonly (readonly [word: string, about: string])[]): string {
  const list = words.map(([word, about]) =>
    quote(about === '' ? word : `${word}:${about.replaceAll(':', ' ')}`),
  );
  return `found=(${list.join(' ')}); _describe word found`;
}
