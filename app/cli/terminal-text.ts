/**
 * Text from the wire, made harmless for a terminal. A certificate's subject or a reason may hold escape sequences,
 * line breaks, invisible and right-to-left characters: they are shown as what they are, never obeyed.
 */

/** Controls, formats, surrogates, private use and unassigned; line and paragraph separators; what has no ink. */
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
/** A mark with nothing to stand on would change its neighbour, and a tower of them the lines above. */
const strayMarks = /(^|\p{M}{2})(\p{M}+)/gu;

export function safe(text: string): string {
  return text
    .replace(invisible, escapeCharacter)
    .replace(strayMarks, (_all, base: string, marks: string) => base + escapeEach(marks));
}

/** One line of JSON with the same value, in which nothing invisible stands as itself. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(invisible, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
      return `\\u${unit}`;
    }).join(''),
  );
}

function escapeEach(text: string): string {
  return Array.from(text, escapeCharacter).join('');
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}

/** Blocks whose characters take two columns (Unicode, East Asian Width W and F). */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** Columns that safe text takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{M}/u.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text))) + text;
}

/** Keeps the end of a name, which says whose it is. */
export function keepEnd(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const characters = Array.from(text);
  while (characters.length > 0 && displayWidth(characters.join('')) > width - 1) characters.shift();
  return `…${characters.join('')}`;
}
