/**
 * Makes text from the wire harmless for a terminal, window, menu or file. A certificate's subject or a reason may hold escape
 * sequences, line breaks, invisible and right-to-left characters: they are shown escaped and have no effect.
 */

/** Controls, formats, surrogates, private use and unassigned; line and paragraph separators; characters without ink. */
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
/** A combining mark without a base would change its neighbour, and many of them would reach into the lines above. */
const strayMarks = /(^|\p{M}{2})(\p{M}+)/gu;

export function safe(text: string): string {
  return text
    .replace(invisible, escapeCharacter)
    .replace(strayMarks, (_all, base: string, marks: string) => base + escapeEach(marks));
}

/** One line of JSON with the same value, in which invisible characters are escaped. */
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
