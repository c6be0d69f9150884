/** What is wrong with a regular expression, by what its reader (RE2) says of it in English. */
import { germanBy, type Pattern } from './by-pattern.ts';

const problems: readonly Pattern[] = [
  [/missing closing ([)\]])/, 'eine schließende $1 fehlt'],
  [/unexpected \)/, 'eine ) steht ohne ihre öffnende'],
  [/missing argument to repetition operator: `(.*)`/, 'vor $1 fehlt, was wiederholt wird'],
  [/invalid nested repetition operator: `(.*)`/, '$1 wiederholt eine Wiederholung'],
  [/invalid repeat count: `(.*)`/, 'so oft lässt sich nichts wiederholen: $1'],
  [/invalid escape sequence: `(.*)`/, 'die Zeichenfolge $1 gibt es nicht'],
  [/trailing backslash/, 'hinter dem letzten \\ fehlt ein Zeichen'],
  [/invalid character class range: `(.*)`/, 'die Zeichenmenge $1 gibt es nicht'],
  [/duplicate capture group name: `(.*)`/, 'der Gruppenname $1 steht zweimal da'],
  [/invalid or unsupported Perl syntax: `(.*)`/, '$1 kennt RE2 nicht'],
  [/invalid (?:named capture|capture in lookbehind): `(.*)`/, '$1 kennt RE2 nicht'],
  [/too large|nests too deeply/, 'er ist zu umfangreich'],
];

/** null: a newer reader says something else. */
export function expressionProblemInGerman(message: string): string | null {
  return germanBy(problems, message);
}
