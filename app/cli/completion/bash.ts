/** Completion for bash 4 and newer. */
import { type Candidates, type Completions, lookups, quoted } from './completions.ts';

export function bashCompletion({ places, withValue }: Completions): string {
  const commands = places.slice(1).map(({ path }) => quoted(path));
  return `# bash completion for sotto. Put into your ~/.bashrc:  eval "$(sotto completion bash)"
_sotto_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_sotto_paths() {
  mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
  compopt -o filenames 2>/dev/null
}

_sotto() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} path=sotto position=0 i word
  # "--option=value" arrives as three words
  if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$path $word" in
      ${commands.join('|')})
        path="$path $word" position=0
        continue ;;
      ${withValue.map(quoted).join('|')})
        [[ \${COMP_WORDS[i + 1]} == '=' ]] && i=$((i + 1))
        i=$((i + 1))
        continue ;;
    esac
    [[ $word == -* ]] || position=$((position + 1))
  done
  case "$path $prev" in
${places.flatMap(optionValues).join('\n')}
  esac
  if [[ $cur != -* ]]; then
    case "$path" in
${places.flatMap(commandWords).join('\n')}
    esac
    case "$path $position" in
${places.flatMap(argumentValues).join('\n')}
    esac
  fi
  case "$path" in
${places.map(optionWords).join('\n')}
  esac
}

complete -F _sotto sotto`;
}

type Place = Completions['places'][number];

function optionValues({ path, options }: Place): string[] {
  return options.flatMap(({ words, value }) =>
    value === null
      ? []
      : [`    ${words.map((word) => quoted(`${path} ${word}`)).join('|')}) ${offer(value)} ;;`],
  );
}

function commandWords({ path, commands }: Place): string[] {
  if (commands.length === 0) return [];
  const words: Candidates = { kind: 'words', words: commands.map(({ word }) => word) };
  return [`      ${quoted(path)}) ${offer(words)} ;;`];
}

function argumentValues({ path, arguments: values }: Place): string[] {
  return values.flatMap((value, position) =>
    value.kind === 'free' ? [] : [`      ${quoted(`${path} ${position}`)}) ${offer(value)} ;;`],
  );
}

function optionWords({ path, options }: Place): string {
  const words = options.flatMap((option) => option.words.filter((word) => word.startsWith('--')));
  return `    ${quoted(path)}) ${offer({ kind: 'words', words })} ;;`;
}

/** Ends the function: there are no further candidates. */
function offer(value: Candidates): string {
  switch (value.kind) {
    case 'words':
      return `_sotto_words ${quoted(value.words.join(' '))}; return`;
    case 'file':
      return '_sotto_paths -f; return';
    case 'folder':
      return '_sotto_paths -d; return';
    case 'upstream':
    case 'network':
      return `_sotto_words "$("\${COMP_WORDS[0]}" ${lookups[value.kind]})"; return`;
    case 'free':
      return 'return';
  }
}
