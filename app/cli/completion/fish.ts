/** Completion for fish, with descriptions. */
import { type Candidates, type Completions, lookups } from './completions.ts';

export function fishCompletion({ places, withValue }: Completions): string {
  const commands = places.slice(1).map(({ path }) => path);
  return `# fish completion for sotto:  sotto completion fish > ~/.config/fish/completions/sotto.fish
function __sotto_at --argument-names place position
    set -l here sotto
    set -l found 0
    set -l skip 0
    set -l typed (commandline -opc)
    for word in $typed[2..]
        if test $skip = 1
            set skip 0
        else if contains -- "$here $word" ${commands.map(fishQuoted).join(' ')}
            set here "$here $word"
            set found 0
        else if contains -- "$here $word" ${withValue.map(fishQuoted).join(' ')}
            set skip 1
        else if not string match -q -- '-*' $word
            set found (math $found + 1)
        end
    end
    test "$here" = "$place"
    and begin
        test -z "$position"
        or test "$found" = "$position"
    end
end

function __sotto_upstream
    sotto ${lookups.upstream}
end

function __sotto_network
    sotto ${lookups.network}
end

complete -c sotto -f
${places.flatMap((place) => [...commandLines(place), ...optionLines(place), ...argumentLines(place)]).join('\n')}`;
}

type Place = Completions['places'][number];

function commandLines({ path, commands }: Place): string[] {
  return commands.map(
    ({ word, description }) =>
      `complete -c sotto -n ${at(path, 0)} -a ${fishQuoted(word)} -d ${fishQuoted(description)}`,
  );
}

function optionLines({ path, options }: Place): string[] {
  return options.map(({ words, description, value }) => {
    const names = words.map((word) =>
      word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`,
    );
    const follows = value === null ? '' : ` ${offer(value)}`;
    return `complete -c sotto -n ${at(path)} ${names.join(' ')}${follows} -d ${fishQuoted(description)}`;
  });
}

function argumentLines({ path, arguments: values }: Place): string[] {
  return values.flatMap((value, position) =>
    value.kind === 'free'
      ? []
      : [`complete -c sotto -n ${at(path, position)} ${offer(value).replace(/^-x /, '')}`],
  );
}

/** A condition, which is a command line within a word. */
function at(path: string, position?: number): string {
  return fishQuoted(`__sotto_at "${path}"${position === undefined ? '' : ` ${position}`}`);
}

function offer(value: Candidates): string {
  switch (value.kind) {
    case 'words':
      return `-x -a ${fishQuoted(value.words.join(' '))}`;
    case 'file':
      return '-r -F';
    case 'folder':
      return "-x -a '(__fish_complete_directories (commandline -ct))'";
    case 'upstream':
    case 'network':
      return `-x -a '(__sotto_${value.kind})'`;
    case 'free':
      return '-x';
  }
}

/** In fish's single quotes a backslash escapes itself and the quote. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
