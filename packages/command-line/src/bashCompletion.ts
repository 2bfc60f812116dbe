/** Writes the completion script for bash. */

import type { CommandWords } from './commandMatching.ts';
import { listFirstWords, listOptionForms, listOptions, listSecondWords, quote } from './completedWords.ts';
import { listGroups } from './help.ts';

export function writeBashCompletion(program: string, commands: readonly CommandWords[]): string {
  const words = (list: readonly (readonly [string, unknown])[]) =>
    quote(list.map(([word]) => word).join(' '));
  const first = words(listFirstWords(commands));
  const groups = listGroups(commands).map(
    group =>
      `    ${quote(group)}|${quote(`help ${group}`)}) words=${words(listSecondWords(commands, group))} ;;`,
  );
  return `# Completion of ${program} for bash: load it with \`source <(${program} completion bash)\`.
_${program}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words=''
  local before="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  COMPREPLY=()
  case "$before" in
    ''|help) words=${first} ;;
${groups.join('\n')}
${commands.map(writeCommand).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${program} ${program}
`;
}

/** A command that takes any words completes only options. */
function writeCommand(command: CommandWords): string {
  const options = listOptions(command);
  const values = options.flatMap(option => {
    if (option[1].type !== 'string') return [];
    const known = quote(option[1].values?.join(' ') ?? '');
    return [`        ${listOptionForms(option).join('|')}) words=${known} ;;`];
  });
  const shown = options.map(([name]) => `--${name}`).join(' ');
  const { positionals } = command;
  const other = `if [[ $current == -* ]]; then words=${quote(shown)}; else words=${quote(positionals?.values?.join(' ') ?? '')}; fi`;
  const usual = positionals === undefined ? `words=${quote(shown)}` : other;
  return [
    `    ${quote(command.name)}|${quote(`${command.name} `)}*)`,
    '      case "$previous" in',
    ...values,
    `        *) ${usual} ;;`,
    '      esac ;;',
  ].join('\n');
}
