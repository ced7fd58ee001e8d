import type { Choices, CompletedCommand, CompletionModel } from './model.ts';

/**
 * The script works without the package bash-completion, and with bash 3.2. `COMP_WORDBREAKS`
 * contains `=`, so `--order=asc` is three words.
 */
export function bashCompletion({ commands, words }: CompletionModel): string {
  const groups = words.filter(({ verbs }) => verbs.length > 0);
  return `# Completion of rapsheet for bash, made by \`rapsheet completion bash\`.

_rapsheet_verbs() {
  case "$1" in
${groups.map(({ word, verbs }) => `    ${word}) words='${verbs.map((verb) => verb.word).join(' ')}' ;;`).join('\n')}
    *) return 1 ;;
  esac
}

_rapsheet_options() {
  case "$1" in
${commands.map(optionCase).join('\n')}
  esac
}

# The words for the value of an option, or for an argument by its position.
_rapsheet_values() {
  case "$1" in
${commands.flatMap(valueCases).join('\n')}
  esac
}

_rapsheet() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  local words= files= switches= valued= option= position=0 start=1 index word command
  COMPREPLY=()
  if [ "$current" = = ]; then
    current=
  elif [ "$previous" = = ]; then
    previous="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  [ "\${COMP_WORDS[1]}" = help ] && [ "$COMP_CWORD" -gt 1 ] && start=2
  command="\${COMP_WORDS[start]}"
  if [ "$COMP_CWORD" -eq "$start" ]; then
    words='${words.map(({ word }) => word).join(' ')} --help --version'
  elif [ "$COMP_CWORD" -eq "$((start + 1))" ] && _rapsheet_verbs "$command"; then
    words="$words --help"
  elif [ "$start" -eq 1 ]; then
    index=2
    if _rapsheet_verbs "$command"; then
      command="$command \${COMP_WORDS[2]}"
      index=3
    fi
    words=
    _rapsheet_options "$command"
    for (( ; index < COMP_CWORD; index++ )); do
      word="\${COMP_WORDS[index]}"
      case " $valued " in
        *" $word "*)
          index=$((index + 1))
          [ "\${COMP_WORDS[index]}" = = ] && index=$((index + 1))
          continue
          ;;
      esac
      case "$word" in -?*) ;; *) position=$((position + 1)) ;; esac
    done
    case " $valued " in *" $previous "*) option="$previous" ;; esac
    if [ -n "$option" ]; then
      _rapsheet_values "$command $option"
    else
      case "$current" in
        -*) words="$switches $valued" ;;
        *)
          _rapsheet_values "$command $position"
          [ -z "$words$files" ] && words="$switches $valued"
          ;;
      esac
    fi
  fi
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(
    [ -n "$words" ] && compgen -W "$words" -- "$current"
    [ -n "$files" ] && compgen -f -- "$current"
  )
  [ -n "$files" ] && compopt -o filenames 2> /dev/null
  return 0
}

complete -F _rapsheet rapsheet`;
}

function optionCase({ name, options }: CompletedCommand): string {
  const names = (isValued: boolean) =>
    options
      .filter(({ value }) => (value !== undefined) === isValued)
      .map((option) => `--${option.name}`)
      .join(' ');
  return `    '${name}') switches='${names(false)}' valued='${names(true)}' ;;`;
}

function valueCases(command: CompletedCommand): readonly string[] {
  const { name } = command;
  const ofOptions = command.options.map(
    (option) => [`'${name} --${option.name}'`, option] as const,
  );
  const ofArguments = command.arguments.map(
    (argument, index) => [`'${name} '${argument.variadic ? '[0-9]*' : index}`, argument] as const,
  );
  return [...ofOptions, ...ofArguments].flatMap(([key, { choices }]) => {
    const offer = offerOf(choices);
    return offer === '' ? [] : [`    ${key}) ${offer} ;;`];
  });
}

function offerOf({ words, files }: Choices): string {
  return [
    ...(words.length > 0 ? [`words='${words.join(' ')}'`] : []),
    ...(files ? ['files=1'] : []),
  ].join(' ');
}
