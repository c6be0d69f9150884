/**
 * One cell of a file of comma-separated values (RFC 4180). A spreadsheet treats a cell that begins like a formula as one, so
 * such a cell gets an apostrophe in front; invisible characters and those that change the direction of text are escaped.
 */
import { safe } from '../text/visible-text.ts';

/** What spreadsheets take for the beginning of a formula, full-width forms and leading blanks included. */
const formula = /^\s*[=+\-@|%\uff1d\uff0b\uff0d\uff20]/;
/** Most texts need no change. */
const plain = /^[a-z0-9_][\w.:-]*$/i;

export function csvText(text: string): string {
  if (text === '' || plain.test(text)) return text;
  const shown = safe(text);
  const disarmed = formula.test(shown) ? `'${shown}` : shown;
  return /[",\r\n ']/.test(disarmed) ? `"${disarmed.replaceAll('"', '""')}"` : disarmed;
}
