/** Why a query was answered as it was, by what the engine says of it in English (native/engine/src). */
import { germanBy, type Pattern } from './by-pattern.ts';

const noPath: Readonly<Record<string, string>> = {
  'no private path': 'keine verschlüsselte Verbindung',
  'no answer': 'keine Antwort',
};

const reasons: readonly Pattern[] = [
  // names that this computer answers itself (policy/special_use.rs)
  [/^no such name can exist \((.*)\)$/, 'diesen Namen kann es nicht geben ($1)'],
  [/^test names .*\((.*)\)$/, 'Testnamen beantwortet dieser Rechner ($1)'],
  [
    /^link-local names .*\((.*)\)$/,
    'Namen der unmittelbaren Umgebung gehören Multicast-DNS, nicht einem Resolver ($1)',
  ],
  [/^onion names .*\((.*)\)$/, 'onion-Namen gibt es nur in Tor ($1)'],
  [/^alt names .*\((.*)\)$/, 'alt-Namen gehören nicht zum DNS ($1)'],
  [
    /^internal names exist/,
    'interne Namen gibt es nur in privaten Netzen: eine Ausnahme für den Resolver hinzufügen, der sie kennt',
  ],
  [
    /^home\.arpa .*\((.*)\):/,
    'home.arpa gibt es nur in Heimnetzen ($1): eine Ausnahme für den Resolver hinzufügen, der es kennt',
  ],
  [
    /^names of private .*\((.*)\):/,
    'nach Namen privater Adressen wird kein Anbieter gefragt ($1): eine Ausnahme für den Resolver hinzufügen, der sie kennt',
  ],
  [/^tells browsers not/, 'sagt Browsern, dass sie diesen Resolver nicht umgehen sollen'],
  [/^ipv4only\.arpa .*\((.*)\)$/, 'ipv4only.arpa beantwortet dieser Rechner ($1)'],
  [
    /^resolver\.arpa .*\((.*)\)$/,
    'resolver.arpa handelt von diesem Resolver und wird nicht weitergeleitet ($1)',
  ],
  // responses that are not let through (policy/response_policy.rs)
  [
    /^the answer holds (\S+), an address of this machine or its network;/,
    'die Antwort enthält $1, eine Adresse dieses Rechners oder seines Netzes; darf der Name eine solche haben, gehört er in „allowPrivate“ oder eine Ausnahme',
  ],
  [
    /^a (.*) of a public name leads .* for (.*) reserves$/,
    'ein $1-Eintrag eines öffentlichen Namens führt zu einem Namen, den die Ausnahme für $2 sich vorbehält',
  ],
  [/^an internal alias can't be followed: it goes/, 'der interne Alias führt im Kreis'],
  [
    /^an internal alias can't be followed: it takes more than (\d+)/,
    'der interne Alias braucht mehr als $1 Anfragen',
  ],
  [
    /^an internal alias can't be followed: the name/,
    'der Name, zu dem der interne Alias führt, ist eben gescheitert',
  ],
  [
    /^an internal alias can't be followed: the upstream/,
    'der Anbieter kann den Namen nicht auflösen, zu dem der interne Alias führt',
  ],
  [/^an internal alias can't be followed:/, 'die Antwort mit dem internen Alias ist unbrauchbar'],
  // cleartext (cleartext.rs, upstream/clear/lease.rs)
  [
    /^nobody knows the resolvers/,
    'niemand kennt gerade die Resolver dieser Ausnahme: ihre Verbindung oder ihr Netz ist nicht da',
  ],
  [/^the network's own/, 'die Resolver des Netzes sind nicht bekannt'],
  [/^the resolvers of this/, 'die Resolver dieser Ausnahme führen zu Sotto selbst'],
  [
    /^Sotto is off or paused,/,
    'Sotto ist aus oder pausiert, und die Resolver des Systems sind nicht bekannt',
  ],
  [/^no ledger entry allows/, 'kein Eintrag erlaubt, diese Anfrage unverschlüsselt zu senden'],
  [/^the permission to/, 'die Erlaubnis, unverschlüsselt zu senden, ist zu Ende'],
  [
    /^the network has changed,/,
    'das Netz hat gewechselt, und die Erlaubnis, unverschlüsselt zu senden, ist für dieses noch nicht bestätigt',
  ],
  [/^queries of this program/, 'Anfragen dieses Programms werden nie unverschlüsselt gesendet'],
  // expired answers (forward.rs, kept.rs)
  [/^the upstream takes its time$/, 'der Anbieter lässt sich Zeit'],
  [/^the upstream can't resolve it/, 'der Anbieter kann es gerade nicht auflösen'],
  [/^the upstream can't be reached$/, 'der Anbieter ist nicht erreichbar'],
  [/^asking for it failed lately$/, 'die Anfrage danach ist eben gescheitert'],
  // Sotto itself (pipeline.rs, query.rs, forward.rs, pending_response.rs, cache/failures.rs)
  [/^a query of our own/, 'eine Anfrage von Sotto kam zurück'],
  [/^Sotto is no authority/, 'Sotto ist für diesen Namen nicht zuständig; die Anfrage braucht RD'],
  [/^more queries wait/, 'mehr Anfragen warten auf das Netz, als Platz haben'],
  [/^asking broke off;/, 'die Anfrage brach ab; das ist ein Fehler in Sotto'],
  [/^it failed a moment/, 'das ist eben gescheitert; bald wird wieder gefragt'],
  [/^no answer$/, 'keine Antwort'],
  [
    /^the resolver sent only/,
    'der Resolver sandte nur einen Teil seiner Antwort, und das Ganze auf keinem anderen Weg',
  ],
  [/^who asks decides/, 'es kommt darauf an, wer fragt, und das belegt nur TCP'],
  [/^Sotto transfers no zones$/, 'Sotto überträgt keine Zonen'],
  [/^Sotto resolves names/, 'Sotto löst nur Namen der Klasse IN auf'],
  // upstreams (upstream/selection/none_responded.rs, upstream/failure, response.rs)
  [/^the upstreams lead/, 'die Anbieter führen zu Sotto selbst'],
  [/^no upstream is configured$/, 'kein Anbieter ist eingestellt'],
  [/^the connection closed/, 'die Verbindung endete vor der Antwort'],
  [/^the connection went/, 'die Verbindung ist verstummt'],
  [/^no answer in time$/, 'keine Antwort in der gesetzten Zeit'],
  [/^still connecting when/, 'die Verbindung war noch nicht aufgebaut, als die Zeit um war'],
  [/^the program that asked is gone$/, 'das Programm, das fragte, war weg'],
  [/^its answer was not usable: it has/, 'die Antwort gehört zu einer anderen Frage'],
  [
    /^its answer was not usable: it is truncated/,
    'die Antwort ist abgeschnitten, obwohl sie über eine Verbindung kam',
  ],
  [/^its answer was not usable: it is/, 'was kam, ist keine Antwort auf eine Anfrage'],
  [
    /^its answer was not usable: it holds/,
    'die Antwort enthält einen Eintrag einer anderen Klasse',
  ],
  [
    /^its answer was not usable: the upstream .* (\d+)$/,
    'die Antwort hat den erweiterten Antwortcode $1',
  ],
  [
    /^its answer was not usable: it refers/,
    'die Antwort verweist an andere Server: Dieser löst den Namen nicht selbst auf',
  ],
  [/^its answer was not usable: /, 'die Antwort ist unbrauchbar'],
  [/^the name is too long/, 'der Name ist zu lang für EncDNS'],
  [/^(\S+) responded (.*)$/, '$1 brachte keine Antwort von EncDNS („$2“)'],
  [/^tried again in (\d+) s$/, 'neuer Versuch in $1 s'],
  [/^can't connect \(connection/, 'keine Verbindung (abgelehnt)'],
  [/^can't connect \(network/, 'keine Verbindung (Netz unerreichbar)'],
  [/^can't connect \(no/, 'keine Verbindung (kein Weg dorthin)'],
  [/^can't connect \((.*)\)$/, 'keine Verbindung („$1“)'],
  [/^no response to TCP/, 'keine Antwort auf den Verbindungsaufbau'],
  [/^no response to the TLS/, 'keine Antwort auf die Begrüßung von TLS'],
  [/^no response to the proxy's/, 'keine Antwort auf die Verbindung durch den Proxy'],
  [/^no response to (.*) in time$/, 'keine Antwort auf $1'],
  [/^TLS failed \((.*)\)$/, 'TLS ist gescheitert („$1“)'],
  [
    /^the server declined STARTTLS \((.*)\), less than a minute ago$/,
    'der Server hat STARTTLS vor weniger als einer Minute abgelehnt („$1“)',
  ],
  [/^the server declined STARTTLS \((.*)\)$/, 'der Server hat STARTTLS abgelehnt („$1“)'],
  [/^the server closed .* STARTTLS$/, 'der Server hat die Verbindung bei STARTTLS beendet'],
  [/^the connection broke during STARTTLS: (.*)$/, 'die Verbindung brach bei STARTTLS ab („$1“)'],
  [
    /^octets were injected/,
    'hinter der Antwort auf STARTTLS stand etwas, das nicht dorthin gehört',
  ],
  [/^a response of (\d+) octets to STARTTLS$/, 'die Antwort auf STARTTLS hat $1 Oktette'],
  [/^the certificate is for (.*), not for (.*)$/, 'das Zertifikat gilt für $1, nicht für $2'],
  [
    /^the certificate's key .* pin is (.*)\)$/,
    'der Schlüssel des Zertifikats passt zu keinem Pin (seiner ist $1)',
  ],
  [
    /^no certificate of the chain .* own is (.*)\)$/,
    'kein Zertifikat der Kette passt zu einem Pin (der Hash des eigenen ist $1)',
  ],
  [/^the certificate expired on (.*)$/, 'das Zertifikat lief am $1 ab'],
  [
    /^the certificate's issuer .*\((.*)\)$/,
    'das Zertifikat kommt von keiner vertrauten Ausgabestelle („$1“)',
  ],
  [/^the certificate can't be used here \((.*)\)$/, 'das Zertifikat ist hier unbrauchbar („$1“)'],
  [/^the proxy (\S+) does not answer \((.*)\)$/, 'der Proxy $1 ist nicht erreichbar („$2“)'],
  [/^what answers at (\S+) is no SOCKS5 proxy \((.*)\)$/, '$1 spricht kein SOCKS5 („$2“)'],
  [/^the proxy (\S+) refused \((.*)\)$/, 'der Proxy $1 verweigert die Verbindung („$2“)'],
  [/^the proxy (\S+) can't .*\((.*)\)$/, 'der Proxy $1 erreicht den Server nicht („$2“)'],
  [/^start it, or correct/, 'ihn starten oder „proxy“ berichtigen'],
  [/^correct "proxy"$/, '„proxy“ berichtigen'],
  [/^allow this machine/, 'diesen Rechner und den Server in dessen Konfiguration erlauben'],
  [/^check its address,/, 'seine Adresse oder das Netz des Proxys prüfen'],
];

/** How a response differs from another (app/service/upstreams/ask-each.ts). */
const differences: readonly Pattern[] = [
  [/^(\S+) instead of (\S+)$/, '$1 statt $2'],
  [/^without (.*)$/, 'ohne $1'],
  [/^with (.*)$/, 'mit $1'],
];

/** null: a newer service says something else. */
export function differenceInGerman(english: string): string | null {
  return germanBy(differences, english);
}

/** Of the engine's own reasons only, because a server may write what resembles one. null: a newer engine says it. */
export function queryReasonInGerman(english: string): string | null {
  const whole = germanBy(reasons, english);
  if (whole !== null) return whole;
  const [, lead, rest = english] = /^(no private path|no answer): (.*)$/s.exec(english) ?? [];
  const parts = rest.split('; ').map(partInGerman);
  if (!parts.every((part) => part !== null)) return null;
  const said = parts.join('; ');
  return lead === undefined ? said : `${noPath[lead]}: ${said}`;
}

/** "pool: 192.0.2.1:853: can't connect (…)": who is meant stands before it. */
function partInGerman(part: string): string | null {
  const german = germanBy(reasons, part);
  if (german !== null) return german;
  const [, who, rest] = /^(\S+): (.*)$/s.exec(part) ?? [];
  const behind = rest === undefined ? null : partInGerman(rest);
  return behind === null ? null : `${who}: ${behind}`;
}
