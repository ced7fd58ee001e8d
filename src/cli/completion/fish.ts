import type { Choices, CompletedCommand, CompletedOption, CompletionModel } from './model.ts';

export function fishCompletion({ commands, words }: CompletionModel): string {
  const first = words.map(
    ({ word, summary }) =>
      `complete -c rapsheet -n __rapsheet_first -a ${word} -d ${quoted(summary)}`,
  );
  const verbs = words.flatMap(({ word, verbs }) =>
    verbs.map(
      (verb) =>
        `complete -c rapsheet -n '__rapsheet_group ${word}' -a ${verb.word} -d ${quoted(verb.summary)}`,
    ),
  );
  return `# Completion of rapsheet for fish, made by \`rapsheet completion fish\`.

# The words before the cursor, without \`rapsheet\` and a leading \`help\`.
function __rapsheet_words
    set -l words (commandline -opc)
    set -e words[1]
    test "$words[1]" = help; and set -e words[1]
    string join \\n -- $words
end

function __rapsheet_first
    test (count (__rapsheet_words)) -eq 0
end

function __rapsheet_group
    set -l words (__rapsheet_words)
    test (count $words) -eq 1; and test "$words[1]" = $argv[1]
end

# Whether the command line starts with a command, which is not explained by \`help\`.
function __rapsheet_in
    set -l words (commandline -opc)
    set -e words[1]
    test (count $words) -ge (count $argv)
    and test "$words[1..$(count $argv)]" = "$argv"
end

complete -c rapsheet -f
${[...first, ...verbs].join('\n')}
complete -c rapsheet -n __rapsheet_first -l help -d 'List the commands'
complete -c rapsheet -n __rapsheet_first -l version -d 'Show the version'

${commands.flatMap(commandLines).join('\n')}`;
}

function commandLines(command: CompletedCommand): readonly string[] {
  const start = `complete -c rapsheet -n '__rapsheet_in ${command.name}'`;
  return [
    ...command.options.map((option) => `${start} ${optionArguments(option)}`),
    ...command.arguments.flatMap(({ choices }) => {
      const offer = offerOf(choices);
      return offer === '' ? [] : [`${start} ${offer}`];
    }),
  ];
}

function optionArguments({ name, short, value, description, choices }: CompletedOption): string {
  const offer = offerOf(choices);
  return [
    `-l ${name}`,
    ...(short === undefined ? [] : [`-s ${short}`]),
    ...(value === undefined ? [] : [choices.files ? '-r' : '-x']),
    ...(offer === '' ? [] : [offer]),
    `-d ${quoted(description)}`,
  ].join(' ');
}

function offerOf({ words, files }: Choices): string {
  return [...(words.length > 0 ? [`-a '${words.join(' ')}'`] : []), ...(files ? ['-F'] : [])].join(
    ' ',
  );
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
