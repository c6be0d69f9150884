/** man(7): harmless text, and the few macros that the pages use. */

/** A person's text: nothing in it is a command to the formatter. */
export function text(words: string): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('–', '\\(en')
    .replaceAll('…', '...')
    .replace(/^\./gm, '\\&.');
}

/** An argument of a macro. */
export function argument(words: string): string {
  return `"${text(words).replaceAll('"', '\\(dq')}"`;
}

export const bold = (words: string) => `\\fB${text(words)}\\fR`;
export const italic = (words: string) => `\\fI${text(words)}\\fR`;

/** Without a date: a page changes when its text does, and the version says which it is. */
export function title(name: string, section: number, version: string): string {
  return `.TH ${argument(name.toUpperCase())} ${section} "" ${argument(`Sotto ${version}`)} "Sotto manual"`;
}

export const section = (name: string) => `.SH ${argument(name)}`;
export const subsection = (name: string) => `.SS ${argument(name)}`;
export const paragraph = (words: string) => `.PP\n${text(words)}`;

/** A term and its meaning; both are roff already. */
export const item = (term: string, meaning: string) => `.TP\n${term}\n${meaning}`;

/** Lines that stay as they are. */
export function verbatim(lines: string): string {
  return `.EX\n${text(lines)}\n.EE`;
}

export function indented(parts: readonly string[]): string {
  return `.RS\n${parts.join('\n')}\n.RE`;
}
