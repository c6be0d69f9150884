/** What is wrong with a line of a file of exceptions, by what the service says of it in English. */
import { germanBy, type Pattern } from './by-pattern.ts';

const reasons: readonly Pattern[] = [
  [/^no resolver stands after the names$/, 'hinter den Namen steht kein Resolver'],
  [
    /^"(.*)" is not a domain name such as/,
    '„$1“ ist kein Domainname wie corp.example, weder =www.corp.example noch * oder ein Präfix wie 10.0.0.0/8',
  ],
  [
    /^"(.*)" is not an IP address with an optional port/,
    '„$1“ ist keine IP-Adresse mit oder ohne Port, weder „network“ noch eine Verbindung wie link:tun0',
  ],
  [/^"(.*)" is not a unit of systemd/, '„$1“ ist kein Dienst wie backup.service'],
  [/^Invalid string: must match pattern/, 'so heißt kein Konto'],
  [/^expected object, received string$/, 'die Zeit passt nicht; so geht es: mon,tue@22:00-06:00'],
  [/^Too small: expected string/, 'ein Wert fehlt'],
  [/^expected \w+, received \w+$/, 'dieser Wert ist von der falschen Art'],
  [/^this field is missing$/, 'dieses Feld fehlt'],
  [/^unknown field;/, 'dieses Feld gibt es nicht; prüfen Sie die Schreibweise oder löschen Sie es'],
  [/^it begins as JSON, and is none/, 'die Datei beginnt wie JSON und ist so keines'],
  [/^not valid JSON/, 'das ist kein gültiges JSON'],
  [/^and (\d+) more$/, 'und $1 weitere'],
];

/** null: the service says something that this page does not know. */
export function importLineInGerman(line: string): string | null {
  const [, place = '', reason = line] = /^(line \d+|[\w.[\]]+): (.*)$/s.exec(line) ?? [];
  const german = germanBy(reasons, reason);
  if (german === null || place === '') return german;
  return `${place.replace(/^line /, 'Zeile ')}: ${german}`;
}
