/** Completion for zsh, with descriptions. */
import {
  type Candidate,
  type Candidates,
  type Completions,
  lookups,
  quoted,
} from './completions.ts';

export function zshCompletion({ places, withValue }: Completions): string {
  const commands = places.slice(1).map(({ path }) => quoted(path));
  return `#compdef sotto
# zsh completion for sotto. Put into your ~/.zshrc, after compinit:  eval "$(sotto completion zsh)"
_sotto() {
  local current=$words[CURRENT] before=$words[CURRENT-1] place=sotto position=0 i word
  local -a found
  if [[ $current == --*=* ]]; then
    before=\${current%%=*}
    compset -P '*='
  fi
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    case "$place $word" in
      (${commands.join('|')})
        place="$place $word" position=0
        continue ;;
      (${withValue.map(quoted).join('|')})
        i=$((i + 1))
        continue ;;
    esac
    [[ $word == -* ]] || position=$((position + 1))
  done
  case "$place $before" in
${places.flatMap(optionValues).join('\n')}
  esac
  if [[ $current != -* ]]; then
    case "$place" in
${places.flatMap(commandWords).join('\n')}
    esac
    case "$place $position" in
${places.flatMap(argumentValues).join('\n')}
    esac
  fi
  case "$place" in
${places.map(optionWords).join('\n')}
  esac
}

if [[ $funcstack[1] == _sotto ]]; then _sotto "$@"; else compdef _sotto sotto; fi`;
}

type Place = Completions['places'][number];

function optionValues({ path, options }: Place): string[] {
  return options.flatMap(({ words, value }) =>
    value === null
      ? []
      : [`    (${words.map((word) => quoted(`${path} ${word}`)).join('|')}) ${offer(value)} ;;`],
  );
}

function commandWords({ path, commands }: Place): string[] {
  if (commands.length === 0) return [];
  return [
    `      (${quoted(path)}) found=(${commands.map(described).join(' ')}); _describe command found; return ;;`,
  ];
}

function argumentValues({ path, arguments: values }: Place): string[] {
  return values.flatMap((value, position) =>
    value.kind === 'free' ? [] : [`      (${quoted(`${path} ${position}`)}) ${offer(value)} ;;`],
  );
}

function optionWords({ path, options }: Place): string {
  const words = options.flatMap(({ words: spellings, description }) =>
    spellings
      .filter((word) => word.startsWith('--'))
      .map((word) => described({ word, description })),
  );
  return `    (${quoted(path)}) found=(${words.join(' ')}); _describe -o option found; return ;;`;
}

/** Ends the function: there are no further candidates. */
function offer(value: Candidates): string {
  switch (value.kind) {
    case 'words':
      return `compadd -- ${value.words.map(quoted).join(' ')}; return`;
    case 'file':
      return '_files; return';
    case 'folder':
      return '_files -/; return';
    case 'upstream':
    case 'network':
      return `compadd -- \${(f)"$("$words[1]" ${lookups[value.kind]})"}; return`;
    case 'free':
      return 'return';
  }
}

/** "word:description", where a colon in the word would end it. */
function described({ word, description }: Candidate): string {
  return quoted(`${word.replaceAll(':', '\\:')}:${description}`);
}
