import type { Choices, CompletedCommand, CompletedOption, CompletionModel } from './model.ts';

/** The script works in a folder of `fpath` under the name `_rapsheet`, and with `source`. */
export function zshCompletion({ commands, words }: CompletionModel): string {
  const groups = words.filter(({ verbs }) => verbs.length > 0);
  return `#compdef rapsheet
# Completion of rapsheet for zsh, made by \`rapsheet completion zsh\`.

_rapsheet_commands() {
  local -a commands=(
${words.map(({ word, summary }) => `    ${described(word, summary)}`).join('\n')}
  )
  _describe -t commands command commands
}

_rapsheet_verbs() {
  local -a verbs
  case $1 in
${groups
  .map(
    ({ word, verbs }) => `    ${word})
      verbs=(
${verbs.map((verb) => `        ${described(verb.word, verb.summary)}`).join('\n')}
      )
      ;;`,
  )
  .join('\n')}
    *) return 1 ;;
  esac
  (( $2 )) || return 0
  _describe -t commands command verbs
}

_rapsheet() {
  local command
  [[ $words[2] == help ]] && (( CURRENT > 2 )) && shift words && (( CURRENT-- )) && command=help
  if (( CURRENT == 2 )); then
    _rapsheet_commands
    return
  fi
  if (( CURRENT == 3 )) && _rapsheet_verbs "$words[2]" 1; then
    return
  fi
  [[ $command == help ]] && return 1
  command=$words[2]
  if _rapsheet_verbs "$words[2]" 0; then
    command="$words[2] $words[3]"
    shift words
    (( CURRENT-- ))
  fi
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(commandCase).join('\n')}
  esac
}

if [[ $funcstack[1] == _rapsheet ]]; then
  _rapsheet "$@"
else
  compdef _rapsheet rapsheet
fi`;
}

function commandCase(command: CompletedCommand): string {
  const specs = [
    ...command.options.map(optionSpec),
    ...command.arguments.map(
      ({ description, choices, variadic }, index) =>
        `${variadic ? '*' : index + 1}:${escaped(description)}:${action(choices)}`,
    ),
  ];
  return `    '${command.name}')
      _arguments -S \\
${specs.map((spec) => `        ${quoted(spec)}`).join(' \\\n')}
      ;;`;
}

function optionSpec({ name, value, multiple, description, choices }: CompletedOption): string {
  const spec = `${multiple === true ? '*' : ''}--${name}`;
  if (value === undefined) return `${spec}[${escaped(description)}]`;
  return `${spec}=[${escaped(description)}]:${escaped(name)}:${action(choices)}`;
}

function action({ words, files }: Choices): string {
  if (files) return '_files';
  return words.length > 0 ? `(${words.join(' ')})` : ' ';
}

function described(word: string, summary: string): string {
  return quoted(`${word}:${summary.replaceAll(':', '\\:')}`);
}

function escaped(text: string): string {
  return text.replace(/[[\]:\\]/g, '\\$&');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
