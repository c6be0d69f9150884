/** What can be typed where: the declarations in the form that a shell needs, the same for all three shells. */
import type { DeclaredCommand, DeclaredValue } from '../declared-command.ts';

export interface Completions {
  /** every command as a path of words; the first word is the program itself */
  places: Place[];
  /** "sotto log --name": options after which a value follows */
  withValue: string[];
}

export interface Place {
  path: string;
  commands: Candidate[];
  options: OptionCandidate[];
  /** by position; empty where nothing is known */
  arguments: Candidates[];
}

export interface Candidate {
  word: string;
  description: string;
}

interface OptionCandidate {
  words: string[];
  description: string;
  /** null where no value follows */
  value: Candidates | null;
}

/** Words to choose from, or a lookup that the shell makes. */
export type Candidates =
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'file' | 'folder' | 'upstream' | 'network' | 'free' };

/**
 * Commands that print what the running service knows, one a line, and nothing without a service. They follow the program's
 * name.
 */
export const lookups = {
  upstream: `upstream list --json 2>/dev/null | grep -o '"id":"[^"]*"' | cut -d'"' -f4`,
  /** Names with blanks or signs in them are left out, because no shell offers them as one word. */
  network: `network list --json 2>/dev/null | grep -oE '"(id|name)":"[A-Za-z0-9._-]+"' | cut -d'"' -f4`,
} as const;

export function completionsOf(program: DeclaredCommand): Completions {
  const places = walk(program);
  return {
    places,
    withValue: places.flatMap(({ path, options }) =>
      options
        .filter(({ value }) => value !== null)
        .flatMap(({ words }) => words.map((word) => `${path} ${word}`)),
    ),
  };
}

function walk(command: DeclaredCommand): Place[] {
  const siblings = command.commands.map(({ name }) => name);
  return [
    {
      path: command.path,
      commands: command.commands.map(({ name, summary }) => ({ word: name, description: summary })),
      options: command.options.map(({ words, description, value }) => ({
        words,
        description,
        value: value === null ? null : candidates(value),
      })),
      arguments: command.arguments.map(({ value }) => candidates(value)),
    },
    // "help COMMAND" accepts the commands beside it.
    ...command.commands.flatMap((inner) =>
      walk(inner).map((place) =>
        inner.name === 'help'
          ? { ...place, arguments: [{ kind: 'words' as const, words: siblings }] }
          : place,
      ),
    ),
  ];
}

function candidates({ kind, choices }: DeclaredValue): Candidates {
  if (kind === 'choice') return { kind: 'words', words: choices };
  return { kind };
}

/** A word in single quotes, as bash and zsh read it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
