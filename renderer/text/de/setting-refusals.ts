/** Why settings do not fit together, by what the service says of it in English. */
import { germanBy, type Pattern } from './by-pattern.ts';

const wide: Readonly<Record<string, string>> = {
  'the root': 'die Wurzel',
  'a public suffix': 'ein öffentliches Suffix',
  "wider than anybody's own network": 'weiter als jedes eigene Netz',
};

const reasons: readonly Pattern[] = [
  [/^(\S+) is there twice; remove one$/, '$1 steht zweimal da; eines entfernen'],
  [
    /^another upstream has the id "(.*)" already;/,
    'ein anderer Anbieter heißt bereits „$1“; die Namen müssen verschieden sein',
  ],
  [
    /^another rule is for "(.*)" already;/,
    'für „$1“ gibt es bereits eine Ausnahme; alle Resolver gehören in eine, oder eine der beiden braucht eine andere Bedingung',
  ],
  [
    /^"(.*)" is (the root|a public suffix|wider than anybody's own network): sending everything under it/,
    '„$1“ ist $2: alles darunter unverschlüsselt zu senden, ist mehr als eine Ausnahme; die internen Zonen einzeln nennen oder mit "downgrade": true bestätigen',
  ],
  [
    /^the root would let/,
    'mit der Wurzel könnte jede Webseite in Ihr Netz zeigen; die Zonen einzeln nennen',
  ],
  [
    /^(\S+) is Sotto itself \(it listens on (\S+)\):/,
    '$1 ist Sotto selbst (es nimmt Anfragen auf $2 an): Anfragen liefen im Kreis',
  ],
  [
    /^"(.*)" is of the group "(.*)", which "groups" does not have;/,
    '„$1“ gehört zur Gruppe „$2“, die es nicht gibt; sie anlegen oder den Namen berichtigen',
  ],
  [
    /^no upstream is of the group "(.*)", so its names/,
    'kein Anbieter gehört zur Gruppe „$1“, also könnte niemand ihre Namen beantworten; einem die Gruppe geben',
  ],
  [
    /^every upstream is/,
    'jeder Anbieter gehört zu einer Gruppe, also könnte niemand andere Namen beantworten; einen ohne Gruppe lassen',
  ],
  [
    /^"(.*)" is (the root|a public suffix): a group is for zones of somebody's own;/,
    '„$1“ ist $2: eine Gruppe ist für eigene Zonen da; der Anbieter braucht keine Gruppe, wenn er alles beantworten soll',
  ],
  [/^"(.*)" is there twice; remove one$/, '„$1“ steht zweimal da; eines entfernen'],
  [
    /^"(.*)" belongs to the group "(.*)" already;/,
    '„$1“ gehört bereits zur Gruppe „$2“; ein Name hat genau eine Gruppe oder eine je Bedingung',
  ],
  [
    /^"(.*)" is also a bypass rule, which would send it in cleartext/,
    'für „$1“ gibt es auch eine Ausnahme, die ihn unverschlüsselt senden würde, bevor die Gruppe gefragt wird; eines von beiden entfernen',
  ],
  [
    /^(\S+) has no TLS, so "(.*)" would protect nothing;/,
    '$1 hat kein TLS, also schützte „$2“ nichts; es entfernen oder dot oder tdns nutzen',
  ],
  [
    /^"starttls" belongs to transport tdns, not (\S+)$/,
    '„starttls“ gehört zum Transport tdns, nicht zu $1',
  ],
  [/^"upstream:(.*)" can not carry its boxes/, 'der Anbieter „$1“ kann EncDNS nicht tragen'],
  [/^the key is/, 'mit diesem Schlüssel schützt EncDNS nichts'],
  [
    /^(\S+) has no TLS: whoever runs the proxy, or its exit, would read every query;/,
    '$1 hat kein TLS: wer den Proxy oder seinen Ausgang betreibt, läse jede Anfrage; „proxy“ entfernen oder dot oder tdns nutzen',
  ],
];

/** "bypass[0].suffix: …", each on a line of its own; null if the page does not know one of them. */
export function refusalInGerman(message: string): string | null {
  const lines = message.split('\n').map((line) => {
    const [, path = '', reason = line] = /^([a-z][\w.[\]"]*): (.*)$/s.exec(line) ?? [];
    const german = germanBy(reasons, reason)?.replace(
      / ist (the root|a public suffix|wider than anybody's own network):/,
      (_all, is: string) => ` ist ${wide[is]}:`,
    );
    return german === undefined ? null : path === '' ? german : `${path}: ${german}`;
  });
  return lines.every((line) => line !== null) ? lines.join('\n') : null;
}
