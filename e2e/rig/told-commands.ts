/**
 * The commands of a document, in their order: each block of ```sh, and the block of ```text behind it, which is what it prints.
 * A first line `# on laptop-1 and laptop-2` says on which machines; without it, it is the administrator's own.
 */

export interface ToldCommands {
  /** names of machines; empty: the administrator's own */
  on: string[];
  script: string;
  /** null: the document does not show it */
  prints: string | null;
  /** the line in the document, from 1 */
  line: number;
}

const block = /^```(\w+)\n([\s\S]*?)^```$/gm;

export function toldCommands(document: string): ToldCommands[] {
  const told: ToldCommands[] = [];
  let end = -1;
  for (const found of document.matchAll(block)) {
    const [whole, language, text = ''] = found;
    const last = told.at(-1);
    if (language === 'sh')
      told.push({
        on: machinesOf(text),
        script: text,
        prints: null,
        line: document.slice(0, found.index).split('\n').length,
      });
    else if (language === 'text' && last !== undefined && found.index === end + 1)
      last.prints = text;
    end = found.index + whole.length;
  }
  return told;
}

function machinesOf(text: string): string[] {
  const [, names] = /^# on (.+)\n/.exec(text) ?? [];
  return names?.split(' and ') ?? [];
}

/** Blank lines at the end do not count. `…` stands for anything within a line; alone on a line, for any lines. */
export function isAsTold(printed: string, told: string): boolean {
  const lines = told.split('\n').slice(0, -1);
  const pattern = lines
    .map((line) => (line.trim() === '…' ? '(?:[^\\n]*\\n)*?' : `${partly(line)} *\\n`))
    .join('');
  return new RegExp(`^${pattern}$`).test(`${printed.trimEnd()}\n`);
}

function partly(line: string): string {
  return line.split('…').map(escaped).join('[^\\n]*');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Such a block is told to fail. */
export function failsAsTold({ prints }: ToldCommands): boolean {
  return prints?.startsWith('sotto: ') ?? false;
}
